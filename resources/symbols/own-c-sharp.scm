(struct_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.type
(property_declaration name: (identifier) @name) @definition.field
(invocation_expression function: (identifier) @name) @reference.call
(parameter type: (identifier) @name) @reference.class
