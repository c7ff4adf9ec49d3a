import { Fault } from '../../src/model/fault/fault.ts';
import { defaultGates } from '../../src/model/gate/default-gates.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../src/model/json/json.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool/tool.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import type { Action, Suite, SuiteTool, Task } from './suite.ts';
import type { Deed, World } from './world.ts';

/** The four kinds of tools with regard to repeated calls. */
export const KINDS = ['key', 'natural', 'reconcilable', 'neither'] as const;
export type Kind = (typeof KINDS)[number];

/** The probe of reconcilable tools: looks up a deed by its key. */
export const FIND = 'check:find_deed';
/** The tool that ends a task. */
export const FINISH = 'check:finish';

/** Faults that are planted to test the check itself. */
export const PLANTED_FAULTS = ['twice', 'lost'] as const;
export type PlantedFault = (typeof PLANTED_FAULTS)[number];

/** The environment of the tools in one process. */
export interface ToolContext {
  readonly suite: Suite;
  readonly world: World;
  /** Which of the four kinds the first tool gets; the others follow in turn. */
  readonly rotation: number;
  /** The task of a realm. */
  readonly taskOf: (realm: string) => Task;
  /** Called at every crash point. */
  readonly reached: (point: string) => void;
  readonly plant: PlantedFault | null;
}

/** The kind of every writing tool, in the order of their names. */
export function kindsOf({ tools }: Suite, rotation: number): ReadonlyMap<string, Kind> {
  const writing = tools.filter(({ writes }) => writes).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(
    writing.map((tool, at) => {
      const possible = KINDS.filter((kind) => isPossible(kind, tool));
      return [tool.name, possible[(at + rotation) % possible.length] ?? 'neither'];
    }),
  );
}

/** A tool whose equal calls count one by one is not naturally idempotent, and a dispatcher has no probe of its tools. */
function isPossible(kind: Kind, { equalCalls, isInner }: SuiteTool): boolean {
  return kind === 'natural' ? equalCalls < 2 : kind !== 'reconcilable' || !isInner;
}

/** Timeout of a call. The tools answer at once, so only calls of a killed process are waited for. */
const TIMEOUT_MS = 500;

export function suiteTools(bench: ToolContext): readonly BoundTool[] {
  const kinds = kindsOf(bench.suite, bench.rotation);
  const bound = bench.suite.tools.map((tool) => boundTool(bench, tool, kinds));
  const find: BoundTool = {
    spec: spec(FIND, { description: 'Finds a change by its idempotency key' }),
    execute: ({ key }) => {
      const deed = bench.world.find(String(key));
      if (deed === null) return undefined;
      return { result: bench.taskOf(deed.realm).actions[deed.action]?.observation ?? null };
    },
  };
  const finish: BoundTool = {
    spec: spec(FINISH, { description: 'Ends the task', produces: ['done'] }),
    execute: () => ({ result: 'done' }),
  };
  return [...bound, find, finish];
}

function boundTool(bench: ToolContext, tool: SuiteTool, kinds: ReadonlyMap<string, Kind>): BoundTool {
  const own = kinds.get(tool.name);
  return {
    spec: spec(tool.name, {
      description: tool.description,
      input_schema: tool.inputSchema,
      approval_mode: tool.mode,
      gates: defaultGates(tool.mode, { category: 'live_api', rules: undefined }),
      ...(own === undefined ? {} : { side_effect: true, ...DECLARED[own] }),
      ...(tool.unwrap === undefined ? {} : { unwrap: tool.unwrap }),
      ...(tool.equalCalls <= EQUAL_CALLS_MAX ? {} : { limits: { equal_calls: tool.equalCalls } }),
    }),
    execute: (args, { tenantId: realm, stepId, idempotencyKey: key }) => {
      bench.reached('tool entered');
      const place = actionOf(stepId);
      const action = recorded(bench.taskOf(realm), place, tool, args);
      const kind = kinds.get(action.real.tool);
      if (kind !== undefined && (!action.is_error || action.state_patch.length > 0)) {
        act(bench, kind, { realm, action: place, tool: tool.name, args, key, patch: action.state_patch });
      }
      bench.reached('tool done');
      if (action.is_error && action.state_patch.length > 0) throw new Error(textOf(action.observation));
      if (action.is_error) throw new Fault('nothing_done', textOf(action.observation));
      return { result: action.observation };
    },
    ...(own === 'reconcilable'
      ? { probing: { reconcile: { args: ({ idempotencyKey }) => ({ key: idempotencyKey }) } } }
      : {}),
  };
}

/** The equal calls that a run may make of a tool that declares no other limit. */
const EQUAL_CALLS_MAX = 3;

const DAY_MS = 86_400_000;
const DECLARED: Readonly<Record<Kind, Partial<ToolSpec>>> = {
  key: { idempotency: { kind: 'key', retention_ms: DAY_MS } },
  natural: { idempotency: { kind: 'natural' } },
  reconcilable: { idempotency: { kind: 'none' }, probes: { reconcile: FIND } },
  neither: { idempotency: { kind: 'none' } },
};

/** Executes a call. Each kind keeps only its own promise: `key` checks keys, `natural` checks the state. */
function act({ world, reached, plant }: ToolContext, kind: Kind, deed: Deed): void {
  if (kind === 'key' && world.find(deed.key) !== null) return;
  if (kind === 'natural' && isDone(world.last(deed.realm), deed)) return;
  reached('before the deed');
  if (plant !== 'lost') world.commit(deed);
  reached('after the deed');
  if (plant === 'twice') world.commit(deed);
}

/** Whether the last deed was the same, so that repeating it changes nothing. */
const isDone = (last: Deed | null, { tool, args }: Deed): boolean =>
  last !== null && last.tool === tool && canonicalize(last.args) === canonicalize(args);

const STEP = /^action_(\d+)$/;
export const stepOf = (place: number): string => `action_${place}`;
export const actionOf = (stepId: string): number => Number(STEP.exec(stepId)?.[1] ?? -1);

/** The recorded call. An unrecorded call throws, because its result is unknown. */
function recorded({ id, actions }: Task, place: number, tool: SuiteTool, args: JsonObject): Action {
  const action = actions[place];
  if (action === undefined || action.name !== tool.name || !isSame(action.kwargs, args, tool)) {
    throw new Error(`call ${place} of ${id} differs from the recorded one`);
  }
  return action;
}

/** Whether two calls are equal after filling in default arguments. */
function isSame(recordedArgs: JsonObject, args: JsonObject, { inputSchema }: SuiteTool): boolean {
  const properties = own<Json>(inputSchema, 'properties');
  const usual = (name: string): Json | undefined => {
    const property = isJsonObject(properties) ? own<Json>(properties, name) : undefined;
    return isJsonObject(property) ? own<Json>(property, 'default') : undefined;
  };
  return [...new Set([...Object.keys(recordedArgs), ...Object.keys(args)])].every((name) => {
    const [a, b] = [own<Json>(recordedArgs, name) ?? usual(name), own<Json>(args, name) ?? usual(name)];
    return a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b);
  });
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function spec(name: string, changes: Partial<ToolSpec>): ToolSpec {
  return {
    name,
    version: '1',
    description: name,
    approval_mode: 'read_only',
    category: 'live_api',
    input_schema: { type: 'object' },
    output_schema: { type: 'object', required: ['result'] },
    active: true,
    external: false,
    side_effect: false,
    trusted: true,
    gates: [],
    produces: [],
    needs: [],
    idempotency: { kind: 'natural' },
    timeout_ms: TIMEOUT_MS,
    retries_max: 1,
    cost: NO_COST,
    ...changes,
  };
}
