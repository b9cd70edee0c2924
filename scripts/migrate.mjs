// npm run migrate: applies the migrations to DATABASE_URL, or to a running local suite.
import { runWithDatabase } from './setup/with-database.mjs';

await runWithDatabase('prisma/dist/migrate.js');
