// The peer of bench/medusa.py: Medusa on PostgreSQL as its starter has it, without the admin's pages.
// It reads PEER_DATABASE_URL and PEER_SECRET.
const { defineConfig } = require('@medusajs/framework/utils');

const { PEER_DATABASE_URL, PEER_SECRET } = process.env;

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: PEER_DATABASE_URL,
    databaseDriverOptions: { ssl: false, connection: { ssl: false } },
    http: { storeCors: '', adminCors: '', authCors: '', jwtSecret: PEER_SECRET, cookieSecret: PEER_SECRET },
  },
});
