(import_from_statement name: (dotted_name (identifier) @name)) @reference.import
(class_definition superclasses: (argument_list (identifier) @name)) @reference.class
(decorator (identifier) @name) @reference.call
(type (identifier) @name) @reference.type
