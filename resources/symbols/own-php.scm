(enum_declaration name: (name) @name) @definition.class
(object_creation_expression (name) @name) @reference.class
(function_call_expression function: (name) @name) @reference.call
(base_clause (name) @name) @reference.class
