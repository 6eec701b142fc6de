; What the package's query lacks: references.
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (field_identifier) @name)) @reference.call
(preproc_function_def name: (identifier) @name) @definition.macro
(parameter_declaration type: (type_identifier) @name) @reference.type
(declaration type: (type_identifier) @name) @reference.type
(field_declaration type: (type_identifier) @name) @reference.type
