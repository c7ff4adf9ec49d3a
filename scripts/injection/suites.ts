import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ApprovalMode } from '../../src/model/gate/approval-mode.ts';
import { JsonRecord, JsonValue } from '../../src/model/json/exact.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { PatchOperation } from './json-patch.ts';

/** A recorded call and its result. */
export interface RecordedCall {
  readonly function: string;
  readonly args: JsonObject;
  readonly approval_mode: ApprovalMode;
  readonly effect: string;
  readonly result: Json;
  readonly error: string | null;
  readonly state_changed: boolean;
  readonly state_patch: readonly PatchOperation[];
  /** Provenance by JSON Pointer into the arguments: `prompt`, `result:<index>`, `synthesized` or `constant`. */
  readonly arg_provenance: Readonly<Record<string, readonly string[]>>;
}
const RecordedCall = z.object({
  function: z.string(),
  args: JsonRecord,
  approval_mode: ApprovalMode,
  effect: z.string(),
  result: JsonValue,
  error: z
    .string()
    .nullish()
    .transform((error) => error ?? null),
  state_changed: z.boolean(),
  state_patch: z.array(
    z.object({
      op: z.enum(['add', 'replace', 'remove', 'move', 'copy', 'test']),
      path: z.string(),
      from: z.string().optional(),
      value: JsonValue.optional(),
    }),
  ),
  arg_provenance: z
    .record(z.string(), z.array(z.string()))
    .nullish()
    .transform((provenance) => provenance ?? {}),
});

export interface SuiteTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly approval_mode: ApprovalMode;
  readonly effect: string;
}
const SuiteTool = z.object({
  suite: z.string(),
  name: z.string(),
  description: z.string(),
  input_schema: JsonRecord,
  approval_mode: ApprovalMode,
  effect: z.string(),
});

export interface UserTask {
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly RecordedCall[];
  readonly initPatch: readonly PatchOperation[];
  readonly finalStateSha256: string;
}
const UserTask = z.object({
  suite: z.string(),
  id: z.string(),
  prompt: z.string(),
  ground_truth: z.array(RecordedCall),
  init_patch: RecordedCall.shape.state_patch.nullish().transform((patch) => patch ?? []),
  final_state_sha256: z.string(),
});

export interface InjectionTask {
  readonly id: string;
  readonly goal: string;
  readonly calls: readonly RecordedCall[];
}
const InjectionTask = z.object({
  suite: z.string(),
  id: z.string(),
  goal: z.string(),
  ground_truth: z.array(RecordedCall),
});

/** Result of the reference policy of the data's authors, by call. */
export interface Reference {
  readonly injected_dispatched: number;
  readonly blocked: number;
}
const Reference = z.object({ injected_dispatched: z.int(), blocked: z.int() });

/** An attack: an injection that the user's task encounters. */
export interface Pair {
  readonly user: UserTask;
  readonly injection: InjectionTask;
  /** Index of the user's call whose result contains the injection; null if none does. */
  readonly insertAfter: number | null;
  readonly ref: Readonly<Record<string, Reference>>;
}
const Pair = z.object({
  suite: z.string(),
  user_task: z.string(),
  injection_task: z.string(),
  insert_after: z
    .int()
    .nullish()
    .transform((place) => place ?? null),
  ref: z
    .record(z.string(), Reference)
    .nullish()
    .transform((ref) => ref ?? {}),
});

export interface Suite {
  readonly name: string;
  readonly tools: readonly SuiteTool[];
  readonly tasks: readonly UserTask[];
  readonly pairs: readonly Pair[];
  readonly environment: Json;
}

const Tools = z.object({ tools: z.array(SuiteTool) });
const UserTasks = z.object({ user_tasks: z.array(UserTask) });
const InjectionTasks = z.object({ injection_tasks: z.array(InjectionTask) });
const Pairs = z.object({ pairs: z.array(Pair) });
const Environments = z.object({ environments: z.record(z.string(), z.object({ default: JsonValue })) });

/** All suites of a folder, sorted by name. */
export function readSuites(folder: string): readonly Suite[] {
  const read = <T>(schema: z.ZodType<T>, name: string): T =>
    schema.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')));
  const { tools } = read(Tools, 'tools');
  const { user_tasks } = read(UserTasks, 'user_tasks');
  const { injection_tasks } = read(InjectionTasks, 'injection_tasks');
  const { pairs } = read(Pairs, 'pairs');
  const { environments } = read(Environments, 'environments');
  return Object.entries(environments)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, environment]): Suite => {
      const own = <T extends { readonly suite: string }>(all: readonly T[]): readonly T[] =>
        all.filter(({ suite }) => suite === name);
      const tasks = own(user_tasks).map(taskOf);
      const injections = own(injection_tasks).map(({ id, goal, ground_truth }) => ({ id, goal, calls: ground_truth }));
      return {
        name,
        tools: own(tools),
        tasks,
        pairs: own(pairs).map(({ user_task, injection_task, insert_after, ref }) => ({
          user: named(tasks, user_task),
          injection: named(injections, injection_task),
          insertAfter: insert_after,
          ref,
        })),
        environment: environment.default,
      };
    });
}

function taskOf({ id, prompt, ground_truth, init_patch, final_state_sha256 }: z.infer<typeof UserTask>): UserTask {
  return { id, prompt, calls: ground_truth, initPatch: init_patch, finalStateSha256: final_state_sha256 };
}

function named<T extends { readonly id: string }>(all: readonly T[], id: string): T {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`a pair names task ${id}, which does not exist`);
  return found;
}
