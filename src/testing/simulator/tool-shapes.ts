import type { JsonObject } from '../../model/json.ts';
import type { Assertion, ToolCategory } from '../../model/tool.ts';

export type FieldType = 'string' | 'integer' | 'boolean';
export type Fields = Readonly<Record<string, FieldType>>;

/** What a simulated tool takes and gives. The shapes are few and fixed, so that every schema is compiled once. */
export interface ToolShape {
  readonly name: string;
  readonly category: ToolCategory;
  readonly input: Fields;
  readonly output: Fields;
  /** The type of evidence it can supply. */
  readonly evidence: string;
  /** What it says that another tool may say as well. */
  readonly asserts: Assertion | null;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
}

/** `open` leaves room for fields nobody declared: those must never be committed. */
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

/** Whoever is asked about an order names its amount, and they need not agree. */
function amountOf(amount: string): Assertion {
  return { type: 'order', subject: '/order_id', values: { amount } };
}

export const TOOL_SHAPES: readonly ToolShape[] = [
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

export const shapeOf = (tool: string): ToolShape | undefined => BY_NAME.get(tool);
