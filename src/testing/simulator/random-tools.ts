import { APPROVAL_MODES, type ApprovalMode, runsInline } from '../../model/gate/approval-mode.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Assertion, Idempotency, ToolCategory, ToolSpec } from '../../model/tool/tool.ts';
import type { Prng } from './prng.ts';

export type FieldType = 'string' | 'integer' | 'boolean';
export type Fields = Readonly<Record<string, FieldType>>;

/** Input and output of a simulated tool. There are few, fixed shapes, so that every schema is compiled once. */
interface ToolShape {
  readonly name: string;
  readonly category: ToolCategory;
  readonly input: Fields;
  readonly output: Fields;
  /** The type of evidence it supplies. */
  readonly evidence: string;
  /** A fact in its output that other tools may contradict. */
  readonly asserts: Assertion | null;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
}

/** An `open` shape allows undeclared fields, which must never be committed. */
function shape(
  name: string,
  category: ToolCategory,
  fields: { readonly input: Fields; readonly output: Fields; readonly open?: boolean },
  evidence: string,
  asserts: Assertion | null = null,
): ToolShape {
  const { input, output, open = false } = fields;
  return {
    name,
    category,
    input,
    output,
    evidence,
    asserts,
    inputSchema: schemaOf(input, false),
    outputSchema: schemaOf(output, open),
  };
}

function schemaOf(fields: Fields, open: boolean): JsonObject {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]));
  const schema = { type: 'object', properties, required: Object.keys(fields) };
  return open ? schema : { ...schema, additionalProperties: false };
}

/** Several tools assert the amount of an order, and they may disagree. */
function amountOf(amount: string): Assertion {
  return { type: 'order', subject: '/order_id', values: { amount } };
}

const TOOL_SHAPES: readonly ToolShape[] = [
  shape(
    'orders.find',
    'database',
    { input: { order_id: 'string' }, output: { order_id: 'string', total: 'integer', paid: 'boolean' } },
    'order',
    amountOf('/total'),
  ),
  shape(
    'policy.read',
    'read_only_lookup',
    { input: { topic: 'string' }, output: { allowed: 'boolean', limit: 'integer' } },
    'policy',
  ),
  shape(
    'payments.refund',
    'payment',
    { input: { order_id: 'string', amount: 'integer' }, output: { refund_id: 'string', amount: 'integer' } },
    'refund',
    amountOf('/amount'),
  ),
  shape(
    'mail.send',
    'email_calendar',
    { input: { to: 'string', body: 'string' }, output: { message_id: 'string' } },
    'message',
  ),
  shape(
    'notes.write',
    'file_system',
    { input: { text: 'string' }, output: { note_id: 'string', length: 'integer' }, open: true },
    'note',
  ),
  shape('math.add', 'sandbox_code', { input: { a: 'integer', b: 'integer' }, output: { sum: 'integer' } }, 'sum'),
  shape(
    'hosts.restart',
    'infrastructure',
    { input: { host: 'string', force: 'boolean' }, output: { restarted: 'boolean', host: 'string' } },
    'restart',
  ),
  shape('index.search', 'vector_retrieval', { input: { query: 'string' }, output: { hits: 'integer' } }, 'hits'),
];

const BY_NAME: ReadonlyMap<string, ToolShape> = new Map(TOOL_SHAPES.map((each) => [each.name, each]));

export const toolShape = (tool: string): ToolShape | undefined => BY_NAME.get(tool);

export const GATES = ['GATE_FINANCE', 'GATE_SECURITY', 'GATE_OWNER'] as const;

/** At least three of the shapes, each with random properties. */
export function randomTools(prng: Prng): readonly ToolSpec[] {
  const chosen = prng.some(TOOL_SHAPES, 0.6);
  const shapes = chosen.length >= 3 ? chosen : TOOL_SHAPES.slice(0, 3);
  return withProbes(
    prng,
    shapes.map((each) => randomTool(prng, each)),
  );
}

/** Adds random probes to tools with side effects. */
function withProbes(prng: Prng, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const lookers = tools.filter(({ approval_mode, side_effect }) => approval_mode === 'read_only' && !side_effect);
  const [first, ...others] = lookers;
  if (first === undefined) return tools;
  return tools.map((tool) => {
    if (!tool.side_effect) return tool;
    const reconcile = prng.chance(0.4) ? { reconcile: prng.pick([first, ...others]).name } : {};
    const verify = prng.chance(0.2) ? { verify: prng.pick([first, ...others]).name } : {};
    const compensate = prng.chance(0.4) ? { compensate: prng.pick([tool, ...tools]).name } : {};
    return { ...tool, probes: { ...reconcile, ...verify, ...compensate } };
  });
}

function randomTool(prng: Prng, { name, category, inputSchema, outputSchema, evidence, asserts }: ToolShape): ToolSpec {
  const approval_mode = randomMode(prng);
  const asserted = asserts !== null && prng.chance(0.5) ? [asserts] : [];
  const supplied = prng.chance(0.95) ? [evidence] : [];
  return {
    name,
    version: '1',
    description: `The simulated tool ${name}`,
    approval_mode,
    category,
    input_schema: inputSchema,
    output_schema: outputSchema,
    active: !prng.chance(0.01),
    external: prng.chance(0.4),
    side_effect: prng.chance(approval_mode === 'read_only' ? 0 : 0.8),
    trusted: prng.chance(0.7),
    gates: randomGates(prng, approval_mode),
    produces: [...new Set([...supplied, ...asserted.map(({ type }) => type)])],
    asserts: asserted,
    needs: [],
    idempotency: randomIdempotency(prng),
    timeout_ms: prng.int(1, 30) * 1000,
    retries_max: prng.int(0, 3),
    cost: {
      input_tokens: prng.chance(0.5) ? 0 : prng.int(1, 300),
      output_tokens: prng.chance(0.5) ? 0 : prng.int(1, 100),
      microusd: prng.chance(0.5) ? 0 : prng.int(1, 50_000),
    },
    ...(name === 'policy.read' && prng.chance(0.2) ? { argument_allow: { topic: ['refunds', 'mail'] } } : {}),
  };
}

function randomMode(prng: Prng): ApprovalMode {
  return prng.chance(0.5) ? 'read_only' : prng.pick(APPROVAL_MODES);
}

function randomGates(prng: Prng, mode: ApprovalMode): readonly string[] {
  if (runsInline(mode)) return prng.chance(0.1) ? [prng.pick(GATES)] : [];
  return prng.some(GATES, 0.45);
}

function randomIdempotency(prng: Prng): Idempotency {
  const kind = prng.pick(['key', 'natural', 'none'] as const);
  return kind === 'key' ? { kind, retention_ms: prng.pick([20_000, 60_000, 600_000, 86_400_000]) } : { kind };
}
