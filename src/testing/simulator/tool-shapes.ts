import type { JsonObject } from '../../model/json.ts';
import type { ToolCategory } from '../../model/tool.ts';

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
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
}

/** `open` leaves room for fields nobody declared: those must never be committed. */
function shape(
  name: string,
  category: ToolCategory,
  fields: { readonly input: Fields; readonly output: Fields; readonly open?: boolean },
  evidence: string,
): ToolShape {
  const { input, output, open = false } = fields;
  return {
    name,
    category,
    input,
    output,
    evidence,
    inputSchema: schemaOf(input, false),
    outputSchema: schemaOf(output, open),
  };
}

function schemaOf(fields: Fields, open: boolean): JsonObject {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]));
  const schema = { type: 'object', properties, required: Object.keys(fields) };
  return open ? schema : { ...schema, additionalProperties: false };
}

export const TOOL_SHAPES: readonly ToolShape[] = [
  shape(
    'orders.find',
    'database',
    { input: { order_id: 'string' }, output: { order_id: 'string', total: 'integer', paid: 'boolean' } },
    'order',
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
