import { z } from 'zod';
import { BudgetCaps } from '../budget.ts';
import { ContentAddress } from '../content-address.ts';
import { Goal } from '../goal.ts';
import type { Address } from '../hash.ts';
import type { Json, JsonObject } from '../json.ts';
import { JsonRecord, JsonValue } from '../json-schema.ts';
import { Instant, Name } from '../name.ts';
import { TerminalCode } from '../terminal-code.ts';
import { ToolOutcome } from '../tool.ts';

/** For dashboards: everything that can be counted, when it happened. */
export interface MetricStream {
  readonly run_id: string;
  readonly points: readonly {
    readonly at: Instant;
    readonly metric: string;
    readonly value: number;
    readonly label: string | null;
  }[];
}
export const MetricStream: z.ZodType<MetricStream> = z.strictObject({
  run_id: Name,
  points: z.array(z.strictObject({ at: Instant, metric: Name, value: z.number(), label: Name.nullable() })),
});

/** For evaluation: what was asked and answered, and the way the run took, to be held against later ones. */
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
export const ScenarioSet: z.ZodType<ScenarioSet> = z.strictObject({
  run_id: Name,
  goal: Goal,
  proposals: z.array(JsonValue),
  answers: z.array(z.strictObject({ tool: Name, args_hash: Name, outcome: ToolOutcome, raw: JsonValue })),
  trajectory: z.array(Name),
  terminal_code: TerminalCode,
});

/** For whoever takes a run again elsewhere: the file, and what it must be. */
export interface ReplayBundle {
  readonly run_id: string;
  readonly frames: number;
  readonly head: Address;
  /** Of the file. */
  readonly bytes: number;
  readonly file_base64: string;
}
export const ReplayBundle: z.ZodType<ReplayBundle> = z.strictObject({
  run_id: Name,
  frames: z.int().positive(),
  head: ContentAddress,
  bytes: z.int().positive(),
  file_base64: z.base64(),
});

/** For whoever is on call: how the run stopped, what was wrong by then, and the last that happened. */
export interface IncidentBundle {
  readonly run_id: string;
  readonly terminal: { readonly code: TerminalCode; readonly reason: string; readonly detail: JsonObject };
  readonly suppressed: readonly TerminalCode[];
  readonly faults: readonly { readonly at: Instant; readonly code: string; readonly message: string }[];
  readonly in_doubt: readonly string[];
  readonly last: readonly { readonly at: Instant; readonly event: string }[];
}
export const IncidentBundle: z.ZodType<IncidentBundle> = z.strictObject({
  run_id: Name,
  terminal: z.strictObject({ code: TerminalCode, reason: Name, detail: JsonRecord }),
  suppressed: z.array(TerminalCode),
  faults: z.array(z.strictObject({ at: Instant, code: Name, message: z.string() })),
  in_doubt: z.array(Name),
  last: z.array(z.strictObject({ at: Instant, event: Name })),
});

/** For whoever builds the next agent: the graph, the budget and the shape of the trace, as they were. */
export interface RunTemplates {
  readonly run_id: string;
  readonly graph: JsonObject;
  readonly budget: BudgetCaps | null;
  readonly trace_schema: JsonObject;
}
export const RunTemplates: z.ZodType<RunTemplates> = z.strictObject({
  run_id: Name,
  graph: JsonRecord,
  budget: BudgetCaps.nullable(),
  trace_schema: JsonRecord,
});
