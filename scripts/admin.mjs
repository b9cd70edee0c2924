// npm run admin -- account create …: the administration command, on DATABASE_URL or on a running
// local suite.
import { runWithDatabase } from './setup/with-database.mjs';

await runWithDatabase('dist/admin.js', {
  usageWithoutArguments: true,
  address: 'admin_database_url',
});
