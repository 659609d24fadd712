// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Configuration files as each program writes and documents them, written for these tests. Secrets begin with "s3cret".
#pragma once

#include <array>
#include <string_view>

namespace config_samples {

inline constexpr std::string_view claude_desktop = R"({
  "globalShortcut": "",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ann/Desktop"]
    },
    "github": {
      "command": "docker",
      "args": ["run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"],
      "env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "s3cret-desktop" }
    }
  }
}
)";

inline constexpr std::string_view claude_code_project = R"({
  "mcpServers": {
    "api-server": {
      "type": "sse",
      "url": "${API_BASE_URL:-https://api.example.com}/mcp",
      "headers": { "Authorization": "Bearer ${API_KEY}" }
    },
    "docs": { "type": "streamable-http", "url": "https://docs.example.com/mcp", "timeout": 600000 },
    "database": {
      "type": "stdio",
      "command": "${HOME}/bin/db-server",
      "args": ["--config", "${CLAUDE_PROJECT_DIR:-.}/db.json", "costs $5 {x}"],
      "env": { "DB_URL": "${DB_URL}", "CACHE_DIR": "/tmp" },
      "alwaysLoad": true
    }
  }
}
)";

inline constexpr std::string_view claude_code_user = R"({
  "numStartups": 34,
  "projects": {
    "/home/ann/shop": {
      "allowedTools": [],
      "mcpServers": {
        "tickets": { "type": "stdio", "command": "tickets-mcp", "args": [], "env": {} },
        "shared": { "type": "http", "url": "https://local.example.com/mcp" }
      }
    },
    "/home/ann/other": { "mcpServers": {} }
  },
  "mcpServers": {
    "shared": { "type": "http", "url": "https://user.example.com/mcp" },
    "notes": { "command": "notes-mcp" }
  }
}
)";

inline constexpr std::string_view vscode = R"({
  // What to ask for.
  "inputs": [
    { "type": "promptString", "id": "github-token", "description": "GitHub token", "password": true },
    {
      "type": "pickString", "id": "region", "description": "Which region?",
      "options": ["eu", { "label": "United States", "value": "us" }], "default": "eu",
    },
  ],
  "servers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/", /* the remote one */
      "headers": { "Authorization": "Bearer ${input:github-token}" },
    },
    "playwright": {
      "command": "npx",
      "args": ["-y", "@microsoft/mcp-server-playwright", "--region=${input:region}"],
      "cwd": "${workspaceFolder}/web",
      "envFile": "${workspaceFolder}/.env",
      "env": { "PORT": 8931, "NODE_OPTIONS": null, "HOST": "http://localhost//x" },
      "dev": { "watch": "src/**/*.ts", "debug": { "type": "node" } },
    },
  },
}
)";

inline constexpr std::string_view vscode_settings = R"({
  "editor.fontSize": 14,
  "mcp": {
    "inputs": [{ "type": "promptString", "id": "key", "description": "A key" }],
    "servers": { "time": { "command": "python", "args": ["-m", "mcp_server_time"], "env": { "KEY": "${input:key}" } } }
  }
}
)";

inline constexpr std::string_view cursor = R"({
  "mcpServers": {
    "local": {
      "command": "python",
      "args": ["${workspaceFolder}${pathSeparator}server.py", "${workspaceFolderBasename}", "${userHome}${/}x"],
      "env": { "API_KEY": "${env:API_KEY}", "FIXED": "s3cret-cursor" }
    },
    "remote": { "url": "https://mcp.example.com/mcp?api_key=s3cret-query", "headers": { "X-Key": "s3cret-header" } },
    "off": { "url": "https://off.example.com/mcp", "disabled": true }
  }
}
)";

inline constexpr std::array all{claude_desktop, claude_code_project, claude_code_user, vscode, vscode_settings, cursor};

}  // namespace config_samples
