// Writes docs/settings.md and .env.example from the schemas of the services. Needs compiled
// sources: npm run build.
import { writeFileSync } from 'node:fs';
import { environmentExample, settingsDocument } from '@gateway/runtime';

const root = new URL('../', import.meta.url);

/** In the order in which a newcomer meets them. */
const services = [
  'api',
  'video-worker',
  'callback-dispatcher',
  'billing',
  'admin',
  'sandbox-vendor',
];

const read = await Promise.all(
  services.map(async (service) => {
    const { settingsSchema } = await import(
      new URL(`services/${service}/dist/config.js`, root).href
    );
    return { service, schema: settingsSchema };
  }),
);

writeFileSync(new URL('docs/settings.md', root), settingsDocument(read));
writeFileSync(new URL('.env.example', root), environmentExample(read));
