; What another module gives is no definition: `const x = require("y")`, `require("y").z`, `await import("y")`.
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name !value)) @definition.constant)
(
  (program (lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value)) @definition.constant)
  (#not-match? @value "^(await import|require) *[(]")
)
(
  (variable_declarator name: (identifier) @name value: (_) @value) @reference.import
  (#match? @value "^(await import|require) *[(]")
)
(
  (variable_declarator
    name: (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern key: (property_identifier) @name)
    ])
    value: (_) @value) @reference.import
  (#match? @value "^(await import|require) *[(]")
)
(object (shorthand_property_identifier) @name @reference.use)
(assignment_expression left: (member_expression) right: (identifier) @name) @reference.use
(export_specifier name: (identifier) @name) @reference.use
(export_statement value: (identifier) @name) @reference.use
(import_specifier name: (identifier) @name) @reference.import
