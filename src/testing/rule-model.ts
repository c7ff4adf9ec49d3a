import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import type { ModelPrompt } from '../ports/model/language-model.ts';
import type { ScriptedModel } from './scripted-model.ts';

/** A plan for the messages that match a pattern. */
export interface PlanRule {
  /** Inputs and answers to questions follow the message, one line each: `weeks: 6`. */
  readonly message: RegExp;
  /** `groups` are the groups of the pattern, such as the id of an order. */
  readonly plan: (groups: Readonly<Record<string, string>>) => object;
}

export interface RuleModelOptions {
  /** The first rule whose pattern matches answers. A message without a rule is declined, and an order is impossible. */
  readonly plans: readonly PlanRule[];
  /**
   * By tool, a sentence about its result with fields in braces: `Order {order_id} is {status}.` A field that the result
   * does not have is a fault.
   */
  readonly sentences: Readonly<Record<string, string>>;
  /** Receives a note at the first request. Default: standard error. */
  readonly note?: (text: string) => void;
}

const NOTE = 'scripted model: no API key is set, so rules of this project play the model\n';

/**
 * A model that answers by rule, for projects without an API key and for tests. It plans with `planFirst` and composes
 * answers. Its first request writes a note that it is scripted.
 */
export const ruleModel: (input: RuleModelOptions) => ScriptedModel = guardInput(
  'ruleModel',
  ({ plans, sentences, note = writeNote }: RuleModelOptions): ScriptedModel => {
    const prompts: ModelPrompt[] = [];
    let mistake: Fault | null = null;
    return {
      id: 'scripted/rules',
      price: { input: 0, output: 0 },
      prompts,
      generate: async (prompt) => {
        if (prompts.length === 0) note(NOTE);
        prompts.push(prompt);
        const answer = answerTo(prompt, plans, sentences);
        if (Fault.is(answer)) {
          mistake ??= answer;
          note(`${answer.message}\n`);
          return { ok: false, fault: answer, retryAfterMs: 0 };
        }
        if (answer === null) return { ok: false, fault: unexpected(prompt), retryAfterMs: 0 };
        const usage = { input_tokens: 100, output_tokens: 50 };
        return { ok: true, answer: { text: JSON.stringify(answer), finish: 'stop', usage, model: 'rules' } };
      },
      assertDrained: () => undefined,
      assertWithinScript: () => {
        if (mistake !== null) throw mistake;
      },
    };
  },
);

const writeNote = (text: string): void => void process.stderr.write(text);

const unexpected = ({ template }: ModelPrompt): Fault =>
  new Fault('script_unexpected_call', `the scripted model has no rule for the prompt ${template.name}`);

function answerTo(
  { template, messages }: ModelPrompt,
  plans: RuleModelOptions['plans'],
  sentences: RuleModelOptions['sentences'],
): object | Fault | null {
  const text = messages.map((message) => message.text).join('\n');
  if (template.name === 'plan_first') return planFor(text, plans);
  if (template.name !== 'compose') return null;
  const facts = factsIn(text);
  const unknown = facts.flatMap((fact) => unknownField(fact, sentences) ?? []);
  return unknown[0] ?? { sentences: facts.flatMap((fact) => sentenceOf(fact, sentences)) };
}

/** Plans for the task of the prompt and its inputs, which are quoted as one line of JSON each. */
function planFor(text: string, plans: RuleModelOptions['plans']): object {
  const task = String(JSON.parse(/^Task: (?<task>".*")$/m.exec(text)?.groups?.['task'] ?? '""'));
  const inputs = toObject(JSON.parse(/^Inputs: (?<inputs>\{.*\})$/m.exec(text)?.groups?.['inputs'] ?? '{}') as Json);
  const lines = Object.entries(inputs).map(([name, value]) => `${name}: ${String(value)}`);
  const words = [task, ...lines].join('\n');
  for (const { message, plan } of plans) {
    const found = message.exec(words);
    if (found !== null) return { decision_checkpoints: [], ...plan(found.groups ?? {}) };
  }
  return { decline: { text: 'I cannot help with that.', action_requested: isOrder(task) } };
}

/** First words of messages that ask for words or state something. Every other first word is read as a verb. */
const NO_ORDER =
  /^(?:who|what|which|where|when|why|how|is|are|am|was|were|do|does|did|has|have|may|should|i|you|we|it|this|that|the|a|an|my|your|our|there|hello|hi|hey|good|thanks|thank|yes|no|ok|okay|sing|tell|write|say|explain|describe|recommend|suggest|translate|recite|compare)\b/u;
const POLITE =
  /^(?:(?:please|kindly|now|(?:can|could|would|will) you|i (?:want|need) you to|i(?:'d| would) like you to),? )+/u;

/** Whether a message orders an action, by its first word: "Paint the van", "Could you please paint the van?". */
function isOrder(message: string): boolean {
  const words = message.trim().toLowerCase().replace(/\s+/gu, ' ');
  const order = words.replace(POLITE, '');
  return /^\p{L}/u.test(order) && !NO_ORDER.test(order) && (order !== words || !words.endsWith('?'));
}

interface Fact {
  readonly ref: string;
  readonly tool: string;
  readonly value: JsonObject;
}

function factsIn(text: string): readonly Fact[] {
  const facts = text.matchAll(/^# Fact (?<ref>\S+)\n\nTool: (?<tool>".*")\n(?:(?!# ).*\n)*?Value: (?<value>\{.*\})$/gm);
  return [...facts].map(({ groups = {} }) => ({
    ref: groups['ref'] ?? '',
    tool: String(JSON.parse(groups['tool'] ?? '""')),
    value: toObject(JSON.parse(groups['value'] ?? '{}') as Json),
  }));
}

const toObject = (value: Json): JsonObject => (isJsonObject(value) ? value : {});

const fieldsOf = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/\{(?<field>\w+)\}/g)].map(({ groups }) => groups?.['field'] ?? '');

/** The fault of a sentence that names a field which the result does not have. */
function unknownField({ tool, value }: Fact, sentences: RuleModelOptions['sentences']): Fault | null {
  const field = fieldsOf(sentences[tool] ?? '').find((name) => !Object.hasOwn(value, name));
  if (field === undefined) return null;
  const known = Object.keys(value).toSorted().join(', ') || 'no field';
  const message = `ruleModel: the sentence of ${tool} names {${field}}, which its result does not have: it has ${known}`;
  return new Fault('input_invalid', message, { path: `/sentences/${tool}` });
}

/** Fills the sentence of a tool, and cites each field in it. */
function sentenceOf({ ref, tool, value }: Fact, sentences: RuleModelOptions['sentences']): readonly object[] {
  const sentence = sentences[tool];
  if (sentence === undefined) return [];
  const fields = fieldsOf(sentence);
  const text = fields.reduce((filled, field) => filled.replace(`{${field}}`, String(value[field] ?? '')), sentence);
  return [{ text, cites: [...new Set(fields)].map((field) => ({ ref, pointer: `/${field}` })) }];
}
