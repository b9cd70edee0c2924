import { format, resolveConfig } from 'prettier';

const banner =
  '// Made from the OpenAPI document by "npm run generate:client-types". Do not edit.\n\n';

/** Of two names for one thing agents get one, and of two formats the one for which they need fewer words. */
const leftOut = ['content', 'aspect_ratio', 'aigc_watermark'];

/** What a video request may hold, as a module for the tools of agents: without references to elsewhere. */
export async function toolSchema({ components: { schemas } }) {
  const properties = Object.fromEntries(
    Object.entries(schemas.VideoRequest.properties)
      .filter(([name]) => !leftOut.includes(name))
      .map(([name, schema]) => [name, inlined(schema, schemas)]),
  );
  const module = `${banner}/** The fields of a video request. */\nexport const videoRequestFields = ${JSON.stringify(properties)} as const;\n`;
  const options = await resolveConfig(new URL('../../package.json', import.meta.url));
  return format(module, { ...options, parser: 'typescript' });
}

function inlined(schema, schemas) {
  if (Array.isArray(schema)) return schema.map((each) => inlined(each, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema;
  const named = $ref === undefined ? {} : schemas[$ref.split('/').at(-1)];
  return Object.fromEntries(
    Object.entries({ ...named, ...rest }).map(([name, value]) => [name, inlined(value, schemas)]),
  );
}
