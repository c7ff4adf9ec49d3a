import { guardInput } from '../model/fault/guard-input.ts';
import type { JsonObject } from '../model/json/json.ts';
import { NO_COST, type ToolSpec } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';

const text = { type: 'string', minLength: 1, maxLength: 10_000 } as const;

/** Ends a plan with an answer to the user. The answer is compiled from committed evidence, not from these arguments. */
export const respond: BoundTool = speaking(
  'respond',
  'Ends the plan: the user is told what was found and done. Name in "inputs" the context keys whose values are to be shown.',
  {
    type: 'object',
    properties: { objective: { ...text, description: 'what the user is to be told' } },
    required: ['objective'],
    additionalProperties: false,
  },
  (args) => args,
);

/** Asks the user. The run waits for the answer and plans again with it. */
export const clarify: BoundTool = speaking(
  'clarify',
  'Ends the plan with a question to the user; there will be a new plan with the answer. Only for what no capability can find out.',
  {
    type: 'object',
    properties: {
      question: { ...text, description: 'the question, as the user will read it' },
      fields: {
        type: 'array',
        items: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$' },
        maxItems: 20,
        description: 'names of the inputs that the answer is to give',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  ({ question = '', fields = [] }) => ({ question, fields }),
);

/** The tools that can end any plan. */
export const SPEAKING_TOOLS: readonly BoundTool[] = Object.freeze([respond, clarify]);

function speaking(
  name: NonNullable<ToolSpec['speaks']>,
  description: string,
  input_schema: JsonObject,
  say: (args: JsonObject) => JsonObject,
): BoundTool {
  const spec: ToolSpec = {
    name,
    version: '1',
    description,
    approval_mode: 'read_only',
    category: 'read_only_lookup',
    input_schema,
    output_schema: { type: 'object' },
    active: true,
    external: false,
    side_effect: false,
    trusted: true,
    gates: [],
    produces: [],
    needs: [],
    idempotency: { kind: 'natural' },
    timeout_ms: 1_000,
    retries_max: 0,
    cost: NO_COST,
    // The arguments only address the user, so untrusted data is permitted in them.
    hazards: { sensitive: [] },
    speaks: name,
  };
  return Object.freeze({ spec: Object.freeze(spec), execute: guardInput(name, say) });
}
