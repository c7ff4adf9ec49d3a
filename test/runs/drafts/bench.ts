/** A bench for drafted arguments: one tool reads an order, one sends a mail, and a model drafts the text in between. */
import { modelDrafter } from '../../../src/compose.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { Drafter } from '../../../src/ports/model/model-roles.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { profileOf } from '../model-profile.ts';
import { planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

export const MAIL_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    to: { type: 'string' },
    text: { type: 'string', minLength: 5, maxLength: 200 },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['to', 'text'],
  additionalProperties: false,
};

const ORDER: RigTool = {
  produces: ['order'],
  output_schema: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] },
  execute: () => ({ total: 1200 }),
};
const SEND: RigTool = {
  input_schema: MAIL_SCHEMA,
  approval_mode: 'local_write',
  side_effect: true,
  idempotency: { kind: 'natural' },
  produces: ['done'],
};

/** Copies a text. */
const FORMAT: RigTool = {
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => ({ text: text ?? null }),
};

export const DRAFT = { $draft: 'Tell the customer what the order came to', using: [{ $from: 'o', path: '' }] } as const;

export const READ: PlanStep = { id: 'o', tool: 'order' };
export const send = (params: JsonObject, changes: Partial<PlanStep> = {}): PlanStep => ({
  id: 's',
  tool: 'send',
  params: { to: 'ana@example.org', ...params },
  depends_on: ['o'],
  ...changes,
});

/** The text is drafted for one tool, and `send` sends the answer of that tool. */
export const COPIED: readonly PlanStep[] = [
  READ,
  { id: 'f', tool: 'format', params: { text: DRAFT }, depends_on: ['o'] },
  send({ text: { $from: 'f', path: '/text' } }, { depends_on: ['o', 'f'] }),
];

export interface DraftRig extends Rig {
  readonly model: ScriptedModel;
}

export interface DraftOptions extends Omit<RigOptions, 'tools'> {
  readonly order?: RigTool;
  readonly send?: RigTool;
  readonly drafter?: Drafter | null;
}

/** `says` holds the answers of the drafting model. */
export function draftRig(says: readonly ModelTurn[], options: DraftOptions = {}): DraftRig {
  const model = scriptedModel(says);
  const { order = {}, send: sending = {}, drafter, ...more } = options;
  const retry = { attempts: 1, baseMs: 10, jitter: 0, waitMsMax: 1_000 };
  const usual = modelDrafter({ model: profileOf(model, { retry }) });
  const bench = rig({
    plans: [planOf([READ, send({ text: DRAFT })])],
    ...more,
    tools: { order: { ...ORDER, ...order }, format: FORMAT, send: { ...SEND, ...sending } },
    world: { drafter: drafter === undefined ? usual : drafter, ...more.world },
  });
  return { ...bench, model };
}

export const LETTER = 'Your order came to 12.00.';
export const draftAnswer = (text: string): ModelTurn => ({ value_1: text });
