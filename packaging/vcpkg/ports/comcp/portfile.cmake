# An overlay port: it builds the checkout it lies in. A port for the registry replaces the next line by
# vcpkg_from_github with the tag and the hash of a release.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES tls COMCP_WITH_TLS)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DCOMCP_COMPILED=ON
        -DCOMCP_INSTALL=ON
        -DCOMCP_BUILD_TESTS=OFF
        -DCOMCP_BUILD_EXAMPLES=OFF
        -DCOMCP_BUILD_BENCHMARKS=OFF
        -DCOMCP_BUILD_TOOLS=OFF
        -DCOMCP_CCACHE=OFF
        ${features}
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/comcp)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
                    "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
