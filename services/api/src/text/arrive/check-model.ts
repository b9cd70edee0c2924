import type { TextModel } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { TextRequest } from '../request/index.ts';

export function checkModel(
  { facts, configuration: { textModels } }: TextRequest,
  model: TextModel | undefined,
): asserts model is TextModel {
  const allowed = facts.caller?.models ?? [];
  const may = (name: string): boolean => allowed.length === 0 || allowed.includes(name);
  if (model === undefined) {
    const names = [...textModels.keys()].filter(may).slice(0, 20).join(', ');
    throw new GatewayError(
      'model_not_found',
      `the model ${JSON.stringify(facts.model)} does not exist; text models are: ${names}`,
      { param: 'model' },
    );
  }
  if (!may(model.name)) {
    throw new GatewayError(
      'model_not_allowed',
      `this API key may not use the model ${model.name}`,
      { param: 'model' },
    );
  }
}
