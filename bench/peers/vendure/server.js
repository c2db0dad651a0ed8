// The peer of bench/vendure.py: Vendure on PostgreSQL, with what a sale needs and no plugin.
// It reads PEER_DATABASE_URL, PEER_PORT, PEER_USER and PEER_PASSWORD.
import { bootstrap, DefaultLogger, dummyPaymentHandler, LogLevel } from '@vendure/core';

const { PEER_DATABASE_URL, PEER_PORT, PEER_USER, PEER_PASSWORD } = process.env;

await bootstrap({
  apiOptions: { port: Number(PEER_PORT), hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: ['bearer'],
    superadminCredentials: { identifier: PEER_USER, password: PEER_PASSWORD },
    requireVerification: false,
  },
  dbConnectionOptions: { type: 'postgres', url: PEER_DATABASE_URL, synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
});
