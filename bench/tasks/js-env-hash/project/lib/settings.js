'use strict';

const { parseEnv } = require('./parse-env.js');

const DEFAULTS = { DB_HOST: 'localhost', DB_PORT: '5432', DB_USER: 'app', DB_PASSWORD: '' };

/** The settings of the application: what the .env file says, else the defaults. */
function loadSettings(text) {
  const values = { ...DEFAULTS, ...parseEnv(text) };
  const port = Number(values.DB_PORT);
  if (!Number.isInteger(port)) throw new Error(`bad DB_PORT: ${values.DB_PORT}`);
  return { host: values.DB_HOST, port, user: values.DB_USER, password: values.DB_PASSWORD };
}

/** The address of the database. */
function databaseUrl({ host, port, user, password }) {
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`;
  return `postgres://${encodeURIComponent(user)}${secret}@${host}:${port}`;
}

module.exports = { databaseUrl, loadSettings };
