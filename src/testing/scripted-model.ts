import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import type { Generated, LanguageModel, ModelAnswer, ModelPrompt } from '../ports/model/language-model.ts';

/** One turn of a script: a text, a value that is sent as JSON, or the fault of the request. */
export type ModelTurn = string | object | Fault;

export interface ScriptedModel extends LanguageModel {
  /** The prompts it received, in order. */
  readonly prompts: readonly ModelPrompt[];
  /** Throws if a scripted turn was not used. */
  assertDrained(): void;
  /** Throws if the model was asked more often than the script has turns. */
  assertWithinScript(): void;
}

/** A test double of a language model. A request without a scripted turn fails. */
export const scriptedModel: (script: readonly ModelTurn[], about?: Partial<ModelAnswer>) => ScriptedModel = guardInput(
  'scriptedModel',
  (script: readonly ModelTurn[], about: Partial<ModelAnswer> = {}): ScriptedModel => {
    const left = [...script];
    const prompts: ModelPrompt[] = [];
    const usage = { input_tokens: 100, output_tokens: 50 };
    const usual: ModelAnswer = { text: '', finish: 'stop', usage, model: 'scripted-1', ...about };
    return {
      id: 'scripted/scripted-1',
      price: { input: 0, output: 0 },
      prompts,
      generate: async (prompt): Promise<Generated> => {
        prompts.push(prompt);
        const turn = left.shift();
        if (turn === undefined) {
          const message = `the script has no turn ${prompts.length}: it has ${script.length}`;
          return { ok: false, fault: new Fault('script_unexpected_call', message), retryAfterMs: 0 };
        }
        if (Fault.is(turn)) return { ok: false, fault: turn, retryAfterMs: 0 };
        return { ok: true, answer: { ...usual, text: typeof turn === 'string' ? turn : JSON.stringify(turn) } };
      },
      assertWithinScript: () => {
        if (prompts.length <= script.length) return;
        const message = `the model was asked ${prompts.length} times, and its script has ${script.length} turns; after a refused plan or sentence it is asked again`;
        throw new Fault('script_unexpected_call', message);
      },
      assertDrained: () => {
        if (left.length > 0) throw new Fault('script_unused', `${left.length} scripted turns were never used`);
      },
    };
  },
);
