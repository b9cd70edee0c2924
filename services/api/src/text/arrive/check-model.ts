import { isRetired, namesInService, retiredSentence, type TextModel } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { TextRequest } from '../request/index.ts';

export function checkModel(
  { facts, configuration: { textModels }, startedAtMs: nowMs }: TextRequest,
  model: TextModel | undefined,
): asserts model is TextModel {
  const allowed = facts.caller?.models ?? [];
  const may = (name: string): boolean => allowed.length === 0 || allowed.includes(name);
  if (model === undefined || isRetired(model, nowMs)) {
    const names = namesInService(textModels.values(), nowMs).filter(may).slice(0, 20).join(', ');
    const asked = `the model ${JSON.stringify(facts.model)}`;
    throw new GatewayError(
      'model_not_found',
      `${model === undefined ? `${asked} does not exist` : retiredSentence(asked, model)}; text models are: ${names}`,
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
