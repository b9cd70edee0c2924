import type { GoneModel } from '@gateway/store';
import type { Command } from '../command.ts';
import { givenOf, readRequest } from '../requests.ts';

export const routesGone: Command = {
  help: 'List the routes of video models whose vendors say that they have no such model',
  example: 'routes gone',
  options: {},
  async run(_values, { goneModels }) {
    const data = await goneModels.all();
    return {
      ok: true,
      lines: data.length === 0 ? ['no vendor has said that it lacks a model'] : data.map(lineOf),
      data: { data },
    };
  },
};

const lineOf = ({
  provider,
  upstreamModel,
  since,
  refusals,
  pausedUntil,
  detail,
}: GoneModel): string =>
  `${provider}/${upstreamModel}  gone since ${since.toISOString()}, refused ${refusals === 1 ? 'once' : `${refusals} times`}, left out until ${pausedUntil.toISOString()}  ${detail}`;

export const routesRetry: Command = {
  help: 'Send tasks on a route again whose vendor had no such model',
  example: 'routes retry --provider ark --upstream-model dreamina-seedance-2-0-260128',
  options: {
    provider: { required: true, help: 'provider name' },
    'upstream-model': { required: true, help: 'name of the model at the vendor' },
  },
  async run(values, { goneModels }) {
    const route = readRequest((reader) =>
      reader.route(
        givenOf({ provider: values['provider'], upstream_model: values['upstream-model'] }),
      ),
    );
    const wasGone = await goneModels.forget(route);
    const name = `${route.provider}/${route.upstreamModel}`;
    return {
      ok: true,
      lines: [wasGone ? `${name} gets tasks again` : `${name} was not left out`],
      data: { ...route, wasGone },
    };
  },
};
