import { retiringModels, withRoutes, type Configuration } from '@gateway/contracts';
import type { Log } from '../log.ts';
import { Gauge, type Registry } from '../metrics/metrics.ts';

/**
 * Tells the operator which models of a version end when: a figure for alerts, and one warning when
 * the version is taken.
 */
export function createRetirementReport(
  log: Log,
  metrics: Registry,
): (configuration: Configuration) => void {
  const ends = new Gauge({
    name: 'gateway_model_retires_timestamp_seconds',
    help: 'When a model of the configuration is retired; only models that have an end.',
    labelNames: ['model'],
    registers: [metrics],
  });
  return ({ models, textModels }) => {
    ends.reset();
    const all = [...withRoutes(models.values()), ...textModels.values()];
    for (const { name, retiresAt } of all) {
      if (retiresAt !== undefined) ends.set({ model: name }, retiresAt.getTime() / 1_000);
    }
    const soon = retiringModels(all, Date.now());
    if (soon.length === 0) return;
    log.warn('models are retired, or will be within two weeks', {
      models: soon.map(({ name, retiresAt }) => ({ name, retiresAt })),
    });
  };
}
