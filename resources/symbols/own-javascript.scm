(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
(import_specifier name: (identifier) @name) @reference.import
