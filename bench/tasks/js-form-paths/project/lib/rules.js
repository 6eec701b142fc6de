'use strict';

/** Rules take a value and return a message, or null when all is well. */
const required = (value) =>
  value === undefined || value === null || value === '' ? 'is required' : null;

const positive = (value) => (typeof value === 'number' && value > 0 ? null : 'must be positive');

const maxLength = (limit) => (value) =>
  typeof value === 'string' && value.length > limit ? `is longer than ${limit}` : null;

module.exports = { maxLength, positive, required };
