import { Fault } from '../../../model/fault.ts';
import { printable } from '../../../model/printable.ts';
import { type ForeignModel, type Generated, type LanguageModel, UNSAID } from '../../../ports/language-model.ts';
import { field, generatedFrom, type Result } from './answer.ts';
import { collected } from './collect.ts';
import { modelName } from './model-name.ts';
import { providerFault } from './provider-fault.ts';
import { type CallOptions, callOptions } from './request.ts';

/** The generations of the AI SDK's model interface that are understood here. They differ in nothing that is used. */
const VERSIONS: readonly string[] = ['v3', 'v4'];

interface Sdk {
  doGenerate(options: CallOptions): PromiseLike<Result>;
  doStream?(options: CallOptions): PromiseLike<unknown>;
}

/** Connects a model of the AI SDK by its own interface. The SDK itself is not needed for that, only the provider's package. */
export function connect(model: LanguageModel | ForeignModel): LanguageModel {
  if (isConnected(model)) return model;
  assertModel(model);
  const sdk = model as unknown as Sdk;
  const id = modelName(`${model.provider}/${model.modelId}`, 'unnamed');
  // A provider package that knows of itself that it would drop the schema says so.
  const bySchema = field(model, 'supportsStructuredOutputs') !== false;
  return {
    id,
    generate: async (prompt, parameters, signal): Promise<Generated> => {
      const options = callOptions(prompt, parameters, bySchema, signal);
      let streams = false;
      try {
        const stream = parameters.streaming === true ? await sdk.doStream?.(options) : undefined;
        streams = stream !== undefined;
        const result = streams ? await collected(stream) : await sdk.doGenerate(options);
        return generatedFrom(id, result, options.responseFormat !== undefined);
      } catch (error) {
        const failed = providerFault(id, error, Date.now());
        return streams ? { usage: UNSAID, ...failed } : failed;
      }
    },
  };
}

const isConnected = (model: LanguageModel | ForeignModel): model is LanguageModel =>
  typeof field(model, 'generate') === 'function';

function assertModel(model: unknown): asserts model is ForeignModel {
  if (typeof model === 'string') {
    const [vendor = '', ...rest] = printable(model).split('/');
    const example = rest.length === 0 ? 'openai' : vendor;
    const message = `"${printable(model)}" is the name of a model behind a gateway: give the model itself, such as ${example}('…') from the provider's package`;
    throw new Fault('model_misconfigured', message);
  }
  if (typeof field(model, 'doGenerate') !== 'function' || typeof field(model, 'modelId') !== 'string') {
    throw new Fault('model_misconfigured', 'this is no language model: give one of the AI SDK, or a LanguageModel');
  }
  const version = field(model, 'specificationVersion');
  if (VERSIONS.includes(String(version))) return;
  const message = `${String(field(model, 'modelId'))} speaks version ${printable(String(version))} of the AI SDK's model interface; ${VERSIONS.join(' and ')} are understood here: update the provider's package`;
  throw new Fault('model_misconfigured', message);
}
