'use strict';

const { formatPath } = require('./path.js');

/**
 * Checks a value against a schema and returns its errors, in order, as
 * {path, message}. A schema is a list of rules, {each: schema} for the entries
 * of a list, or an object with a schema for each field.
 */
function validate(schema, value, keys = []) {
  if (Array.isArray(schema)) {
    const message = schema.map((rule) => rule(value)).find((result) => result !== null);
    return message === undefined ? [] : [{ path: formatPath(keys), message }];
  }
  if (schema.each !== undefined) {
    const entries = Array.isArray(value) ? value : [];
    return entries.flatMap((entry, index) =>
      validate(schema.each, entry, [...keys, index]),
    );
  }
  return Object.entries(schema).flatMap(([name, inner]) =>
    validate(inner, value?.[name], [...keys, name]),
  );
}

module.exports = { validate };
