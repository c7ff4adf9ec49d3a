import { z } from 'zod';
import { BudgetCaps } from '../budget/budget.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { JsonRecord, JsonValue } from '../json/json-value.ts';
import { Instant, Name } from '../json/name.ts';
import { Goal } from '../plan/goal.ts';
import { ToolOutcome } from '../tool/tool.ts';

/** For dashboards: all countable events, with their time. */
export interface MetricStream {
  readonly run_id: string;
  readonly points: readonly {
    readonly at: Instant;
    readonly metric: string;
    readonly value: number;
    readonly label: string | null;
  }[];
}
export const MetricStream: z.ZodType<MetricStream> = exactObject({
  run_id: Name,
  points: z.array(z.strictObject({ at: Instant, metric: Name, value: z.number(), label: Name.nullable() })),
});

/** For evaluation: the proposals, answers and trajectory of the run, to compare with later runs. */
export interface ScenarioSet {
  readonly run_id: string;
  readonly goal: Goal;
  readonly proposals: readonly Json[];
  readonly answers: readonly {
    readonly tool: string;
    readonly args_hash: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
  }[];
  readonly trajectory: readonly string[];
  readonly terminal_code: TerminalCode;
}
export const ScenarioSet: z.ZodType<ScenarioSet> = exactObject({
  run_id: Name,
  goal: Goal,
  proposals: z.array(JsonValue),
  answers: z.array(z.strictObject({ tool: Name, args_hash: Name, outcome: ToolOutcome, raw: JsonValue })),
  trajectory: z.array(Name),
  terminal_code: TerminalCode,
});

/** For replaying a run elsewhere: the bundle file, and its expected head and size. */
export interface ReplayBundle {
  readonly run_id: string;
  readonly frames: number;
  readonly head: Address;
  /** Size of the file. */
  readonly bytes: number;
  readonly file_base64: string;
}
export const ReplayBundle: z.ZodType<ReplayBundle> = exactObject({
  run_id: Name,
  frames: z.int().positive(),
  head: ContentAddress,
  bytes: z.int().positive(),
  file_base64: z.base64(),
});

/** For the person on call: how the run stopped, its faults, and its last events. */
export interface IncidentBundle {
  readonly run_id: string;
  readonly terminal: { readonly code: TerminalCode; readonly reason: string; readonly detail: JsonObject };
  readonly suppressed: readonly TerminalCode[];
  readonly faults: readonly { readonly at: Instant; readonly code: string; readonly message: string }[];
  readonly in_doubt: readonly string[];
  readonly last: readonly { readonly at: Instant; readonly event: string }[];
}
export const IncidentBundle: z.ZodType<IncidentBundle> = exactObject({
  run_id: Name,
  terminal: z.strictObject({ code: TerminalCode, reason: Name, detail: JsonRecord }),
  suppressed: z.array(TerminalCode),
  faults: z.array(z.strictObject({ at: Instant, code: Name, message: z.string() })),
  in_doubt: z.array(Name),
  last: z.array(z.strictObject({ at: Instant, event: Name })),
});

/** For the author of the next agent: the graph, the budget and the trace schema of this run. */
export interface RunTemplates {
  readonly run_id: string;
  readonly graph: JsonObject;
  readonly budget: BudgetCaps | null;
  readonly trace_schema: JsonObject;
}
export const RunTemplates: z.ZodType<RunTemplates> = exactObject({
  run_id: Name,
  graph: JsonRecord,
  budget: BudgetCaps.nullable(),
  trace_schema: JsonRecord,
});
