import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ApprovalMode, compareModes } from '../../src/model/gate/approval-mode.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import { JsonRecord } from '../../src/model/json/exact.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { type RealCall, realCalls } from '../../src/model/tool/inner-call.ts';
import { ToolUnwrap } from '../../src/model/tool/tool.ts';
import type { PatchOperation } from '../injection/json-patch.ts';

/** Any parsed JSON, without a deep check, because validating a complete database in every process is slow. */
const AnyJson: z.ZodType<Json> = z.custom<Json>((value) => value !== undefined);

/** A recorded call and its result. */
export interface Action {
  readonly name: string;
  readonly kwargs: JsonObject;
  /** The call that has the effect: of a dispatcher the inner call, otherwise the call itself. */
  readonly real: RealCall;
  readonly observation: Json;
  readonly is_error: boolean;
  readonly state_patch: readonly PatchOperation[];
  /** Whether the arguments fit the tool's own schema. */
  readonly args_valid_against_schema: boolean;
}
const RecordedAction = z.object({
  name: z.string(),
  kwargs: JsonRecord,
  observation: AnyJson,
  is_error: z.boolean().default(false),
  args_valid_against_schema: z.boolean().default(true),
  state_patch: z
    .array(
      z.object({
        op: z.enum(['add', 'replace', 'remove', 'move', 'copy', 'test']),
        path: z.string(),
        from: z.string().optional(),
        value: AnyJson.optional(),
      }),
    )
    .nullish()
    .transform((patch) => patch ?? []),
});

export interface Task {
  readonly id: string;
  readonly instruction: string;
  readonly actions: readonly Action[];
  /** SHA-256 of the canonical form of the final world. */
  readonly finalHash: string;
}
const Task = z.object({
  task_id: z.string(),
  instruction: z.string(),
  golden_actions: z.array(RecordedAction),
  final_db_sha256_canonical: z.string().regex(/^[0-9a-f]{64}$/),
});

export interface SuiteTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly mode: ApprovalMode;
  /** Whether calls of the tool are counted, because it changes something or declares that it does. */
  readonly writes: boolean;
  /** The largest number of equal calls in one task. */
  readonly equalCalls: number;
  /** Present if the tool is a dispatcher: how it states the call that it passes on. */
  readonly unwrap?: ToolUnwrap;
  /** Whether a dispatcher passes calls on to the tool. */
  readonly isInner: boolean;
}
const Tool = z.object({
  name: z.string(),
  description: z.string().default(''),
  input_schema: JsonRecord,
  approval_mode: ApprovalMode.optional(),
  read_write: z.string().optional(),
  unwrap: ToolUnwrap.exactOptional(),
});
type Tool = z.infer<typeof Tool>;

/** One database, its tools, and the recorded tasks. */
export interface Suite {
  readonly name: string;
  readonly world: Json;
  readonly tools: readonly SuiteTool[];
  readonly tasks: readonly Task[];
}

const Database = z.object({ db: AnyJson });
const Tools = z.object({ tools: z.array(Tool) });
const Tasks = z.object({ tasks: z.array(Task) });

const DATABASE = /^(.+)_db\.json$/;

/** All suites of a folder, sorted by name, or a line with the reason if there is none. */
export function readSuites(folder: string): readonly Suite[] | string {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return `no folder ${folder}`;
  }
  const suites = names.flatMap((name) => DATABASE.exec(name)?.[1] ?? []).toSorted();
  if (suites.length === 0) return `${folder} has no file <suite>_db.json`;
  try {
    return suites.map((suite) => readSuite(folder, suite, names));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function readSuite(folder: string, name: string, files: readonly string[]): Suite {
  const { db } = read(folder, `${name}_db.json`, Database);
  const { tools } = read(folder, `${name}_tools.json`, Tools);
  const parts = files.filter((file) => file.startsWith(`${name}_`) && file.endsWith('_tasks.json')).toSorted();
  const unread = parts.flatMap((file) => read(folder, file, Tasks).tasks);
  if (unread.length === 0) throw new Error(`${folder} has no tasks in a file ${name}_…_tasks.json`);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const tasks = unread.map((task) => taskOf(task, byName));
  const twice = tasks.find(({ id }, at) => tasks.findIndex((other) => other.id === id) !== at);
  if (twice !== undefined) throw new Error(`${name} has two tasks ${twice.id}`);
  const called = tasks.flatMap(({ actions }) => actions).flatMap((action) => [action.name, action.real.tool]);
  const stray = called.find((tool) => !byName.has(tool));
  if (stray !== undefined) throw new Error(`a task of ${name} calls ${stray}, which is not in ${name}_tools.json`);
  return { name, world: db, tasks, tools: tools.map((tool) => toolOf(tool, tasks)) };
}

function read<T>(folder: string, file: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } catch (error) {
    throw new Error(`${join(folder, file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw new Error(`${join(folder, file)}: ${first?.path.join('/') ?? ''} ${first?.message ?? 'is invalid'}`);
}

function taskOf(
  { task_id, instruction, golden_actions, final_db_sha256_canonical }: z.infer<typeof Task>,
  tools: ReadonlyMap<string, Tool>,
): Task {
  return {
    id: task_id,
    instruction: instruction.trim() === '' ? task_id : instruction,
    actions: golden_actions.map((action) => ({ ...action, real: realCall(action, tools, task_id) })),
    finalHash: final_db_sha256_canonical,
  };
}

function realCall(
  { name, kwargs }: Pick<Action, 'name' | 'kwargs'>,
  tools: ReadonlyMap<string, Tool>,
  task: string,
): RealCall {
  const calls = realCalls({ tool: name, args: kwargs }, (tool) => tools.get(tool));
  if (calls === null) throw new Error(`${task}: a call of ${name} does not state the call that it passes on`);
  return calls.at(-1) ?? calls[0];
}

/**
 * Derives a tool's effect from its recorded calls: a tool that changed the world once counts as writing. Its label can
 * only make it stricter. A dispatcher has no effect of its own.
 */
function toolOf(tool: Tool, tasks: readonly Task[]): SuiteTool {
  const actions = tasks.flatMap((task) => task.actions);
  const real = actions.filter((action) => action.real.tool === tool.name);
  const declared = tool.approval_mode ?? (tool.read_write === 'write' ? 'destructive' : 'read_only');
  const changes = tool.read_write === 'write' || real.some(({ state_patch }) => state_patch.length > 0);
  const mode = changes && compareModes(declared, 'local_write') < 0 ? 'local_write' : declared;
  // If recorded calls violate the schema, the tool accepts more than its schema declares.
  const fits = actions.every((action) => action.name !== tool.name || action.args_valid_against_schema);
  return {
    name: tool.name,
    description: tool.description === '' ? tool.name : tool.description,
    inputSchema: fits ? tool.input_schema : { type: 'object' },
    mode,
    writes: mode !== 'read_only',
    equalCalls: Math.max(0, ...tasks.map((task) => equalCalls(task, tool.name))),
    ...(tool.unwrap === undefined ? {} : { unwrap: tool.unwrap }),
    isInner: real.some((action) => action.name !== tool.name),
  };
}

function equalCalls({ actions }: Task, tool: string): number {
  const counts = new Map<string, number>();
  for (const { real } of actions) {
    const call = canonicalize(real.args);
    if (real.tool === tool) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
