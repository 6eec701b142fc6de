'use strict';

const { createChat } = require('./chat.js');

module.exports = { createChat };
