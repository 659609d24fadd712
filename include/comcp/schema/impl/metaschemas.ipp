// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The two dialects' own schemas, reduced to what they demand, so that a $ref to them resolves without a network.
#pragma once

namespace comcp::schema_detail {

inline constexpr char const* metaschema_2020_12 = R"json({
"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor":"meta","type":["object","boolean"],
"allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/unevaluated"},{"$ref":"meta/validation"},
 {"$ref":"meta/meta-data"},{"$ref":"meta/format-annotation"},{"$ref":"meta/content"}],
"properties":{
 "definitions":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}},
 "dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},
  {"$ref":"meta/validation#/$defs/stringArray"}]}},
 "$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString"},"$recursiveRef":{"type":"string"}},
"$defs":{
"core":{"$id":"meta/core","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"$id":{"type":"string","pattern":"^[^#]*#?$"},"$schema":{"type":"string"},"$ref":{"type":"string"},
  "$anchor":{"$ref":"#/$defs/anchorString"},"$dynamicRef":{"type":"string"},
  "$dynamicAnchor":{"$ref":"#/$defs/anchorString"},
  "$vocabulary":{"type":"object","additionalProperties":{"type":"boolean"}},"$comment":{"type":"string"},
  "$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},
 "$defs":{"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"}}},
"applicator":{"$id":"meta/applicator","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"prefixItems":{"$ref":"#/$defs/schemaArray"},"items":{"$dynamicRef":"#meta"},
  "contains":{"$dynamicRef":"#meta"},"additionalProperties":{"$dynamicRef":"#meta"},
  "properties":{"$ref":"#/$defs/schemaMap"},"patternProperties":{"$ref":"#/$defs/schemaMap"},
  "dependentSchemas":{"$ref":"#/$defs/schemaMap"},"propertyNames":{"$dynamicRef":"#meta"},
  "if":{"$dynamicRef":"#meta"},"then":{"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},
  "allOf":{"$ref":"#/$defs/schemaArray"},"anyOf":{"$ref":"#/$defs/schemaArray"},
  "oneOf":{"$ref":"#/$defs/schemaArray"},"not":{"$dynamicRef":"#meta"}},
 "$defs":{"schemaArray":{"type":"array","minItems":1,"items":{"$dynamicRef":"#meta"}},
  "schemaMap":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}}},
"unevaluated":{"$id":"meta/unevaluated","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},"unevaluatedProperties":{"$dynamicRef":"#meta"}}},
"validation":{"$id":"meta/validation","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},
   {"type":"array","items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},
  "const":true,"enum":{"type":"array"},"multipleOf":{"type":"number","exclusiveMinimum":0},
  "maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},
  "exclusiveMinimum":{"type":"number"},"maxLength":{"$ref":"#/$defs/count"},"minLength":{"$ref":"#/$defs/count"},
  "pattern":{"type":"string","format":"regex"},"maxItems":{"$ref":"#/$defs/count"},
  "minItems":{"$ref":"#/$defs/count"},"uniqueItems":{"type":"boolean"},"maxContains":{"$ref":"#/$defs/count"},
  "minContains":{"$ref":"#/$defs/count"},"maxProperties":{"$ref":"#/$defs/count"},
  "minProperties":{"$ref":"#/$defs/count"},"required":{"$ref":"#/$defs/stringArray"},
  "dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}}},
 "$defs":{"count":{"type":"integer","minimum":0},
  "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
  "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}}},
"meta-data":{"$id":"meta/meta-data","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"title":{"type":"string"},"description":{"type":"string"},"default":true,
  "deprecated":{"type":"boolean"},"readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},
  "examples":{"type":"array"}}},
"format-annotation":{"$id":"meta/format-annotation","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"format":{"type":"string"}}},
"content":{"$id":"meta/content","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
  "contentSchema":{"$dynamicRef":"#meta"}}}
}})json";

inline constexpr char const* metaschema_7 = R"json({
"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://json-schema.org/draft-07/schema#",
"type":["object","boolean"],
"properties":{"$id":{"type":"string"},"$schema":{"type":"string"},"$ref":{"type":"string"},
 "$comment":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"default":true,
 "readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},"examples":{"type":"array"},
 "multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{"type":"number"},
 "exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
 "maxLength":{"$ref":"#/definitions/count"},"minLength":{"$ref":"#/definitions/count"},
 "pattern":{"type":"string","format":"regex"},"additionalItems":{"$ref":"#"},
 "items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}]},
 "maxItems":{"$ref":"#/definitions/count"},"minItems":{"$ref":"#/definitions/count"},
 "uniqueItems":{"type":"boolean"},"contains":{"$ref":"#"},"maxProperties":{"$ref":"#/definitions/count"},
 "minProperties":{"$ref":"#/definitions/count"},"required":{"$ref":"#/definitions/stringArray"},
 "additionalProperties":{"$ref":"#"},"definitions":{"$ref":"#/definitions/schemaMap"},
 "properties":{"$ref":"#/definitions/schemaMap"},"patternProperties":{"$ref":"#/definitions/schemaMap"},
 "dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},
  {"$ref":"#/definitions/stringArray"}]}},
 "propertyNames":{"$ref":"#"},"const":true,"enum":{"type":"array"},
 "type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},
  {"type":"array","items":{"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},
 "format":{"type":"string"},"contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},
 "if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"},"allOf":{"$ref":"#/definitions/schemaArray"},
 "anyOf":{"$ref":"#/definitions/schemaArray"},"oneOf":{"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}},
"definitions":{"count":{"type":"integer","minimum":0},
 "schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},
 "schemaMap":{"type":"object","additionalProperties":{"$ref":"#"}},
 "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
 "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}}
})json";

}  // namespace comcp::schema_detail
