import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ApprovalMode, compareModes } from '../../src/model/gate/approval-mode.ts';
import { JsonRecord } from '../../src/model/json/exact.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { PatchOperation } from '../injection/json-patch.ts';

/** Any parsed JSON, without a deep check, because validating a complete database in every process is slow. */
const AnyJson: z.ZodType<Json> = z.custom<Json>((value) => value !== undefined);

/** A recorded call and its result. */
export interface Action {
  readonly name: string;
  readonly kwargs: JsonObject;
  readonly observation: Json;
  readonly is_error: boolean;
  readonly state_patch: readonly PatchOperation[];
  /** Whether the arguments fit the tool's own schema. */
  readonly args_valid_against_schema: boolean;
}
const Action = z.object({
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
  golden_actions: z.array(Action),
  final_db_sha256_canonical: z.string().regex(/^[0-9a-f]{64}$/),
});

export interface SuiteTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly mode: ApprovalMode;
  /** Whether calls of the tool are counted, because it changes something or declares that it does. */
  readonly writes: boolean;
}
const Tool = z.object({
  name: z.string(),
  description: z.string().default(''),
  input_schema: JsonRecord,
  approval_mode: ApprovalMode.optional(),
  read_write: z.string().optional(),
});

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
  const tasks = parts.flatMap((file) => read(folder, file, Tasks).tasks).map(taskOf);
  if (tasks.length === 0) throw new Error(`${folder} has no tasks in a file ${name}_…_tasks.json`);
  const twice = tasks.find(({ id }, at) => tasks.findIndex((other) => other.id === id) !== at);
  if (twice !== undefined) throw new Error(`${name} has two tasks ${twice.id}`);
  const known = new Set(tools.map((tool) => tool.name));
  const stray = tasks.flatMap(({ actions }) => actions).find((action) => !known.has(action.name));
  if (stray !== undefined) throw new Error(`a task of ${name} calls ${stray.name}, which is not in ${name}_tools.json`);
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

const taskOf = ({ task_id, instruction, golden_actions, final_db_sha256_canonical }: z.infer<typeof Task>): Task => ({
  id: task_id,
  instruction: instruction.trim() === '' ? task_id : instruction,
  actions: golden_actions,
  finalHash: final_db_sha256_canonical,
});

/**
 * Derives a tool's effect from its recorded calls: a tool that changed the world once counts as writing. Its label can
 * only make it stricter.
 */
function toolOf(tool: z.infer<typeof Tool>, tasks: readonly Task[]): SuiteTool {
  const calls = tasks.flatMap(({ actions }) => actions).filter(({ name }) => name === tool.name);
  const declared = tool.approval_mode ?? (tool.read_write === 'write' ? 'destructive' : 'read_only');
  const changes = tool.read_write === 'write' || calls.some(({ state_patch }) => state_patch.length > 0);
  const mode = changes && compareModes(declared, 'local_write') < 0 ? 'local_write' : declared;
  // If recorded calls violate the schema, the tool accepts more than its schema declares.
  const fits = calls.every(({ args_valid_against_schema }) => args_valid_against_schema);
  return {
    name: tool.name,
    description: tool.description === '' ? tool.name : tool.description,
    inputSchema: fits ? tool.input_schema : { type: 'object' },
    mode,
    writes: mode !== 'read_only',
  };
}
