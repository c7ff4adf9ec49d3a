import { type CompileSchema, type KernelEnv, outputCheck, type ToolTable, toolTable } from '../kernel/index.ts';
import { DecisionSpec } from '../model/critic/decision.ts';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import type { Json } from '../model/json/json.ts';
import { parse } from '../model/json/parse.ts';
import { ToolRegistry } from '../model/tool/tool.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { recordedText } from './run-contexts.ts';

type Blobs = Pick<Journal, 'blob'>;

/**
 * The environment of a run with its recorded tools and decisions, which may differ from those of the process, and with
 * the tools that it was migrated to. Runs recorded before these were stored use those of the process.
 */
export async function recordedEnv(
  journal: Blobs,
  env: KernelEnv,
  compile: CompileSchema,
  events: readonly RunEvent[],
): Promise<KernelEnv> {
  const texts = new Map<string, string>();
  for (const [version, what] of recordedTexts(events)) texts.set(version, await recordedText(journal, version, what));
  return envFromTexts(env, compile, events, (version) => texts.get(version) ?? '');
}

/** The texts that the environment of a run is made of, by the versions that its manifest names. */
function recordedTexts(events: readonly RunEvent[]): readonly (readonly [version: string, what: string])[] {
  const begun = initializedIn(events);
  if (begun?.context === undefined) return [];
  const { decision_catalog_version, tool_registry_version } = begun.manifest;
  return [
    [decision_catalog_version, 'decision catalogue'],
    ...[tool_registry_version, ...migratedRegistries(events)].map((version) => [version, 'tool registry'] as const),
  ];
}

/** The environment of a run, from texts that are at hand. See {@link recordedEnv}. */
export function envFromTexts(
  env: KernelEnv,
  compile: CompileSchema,
  events: readonly RunEvent[],
  textAt: (version: string) => string,
): KernelEnv {
  const begun = initializedIn(events);
  if (begun?.context === undefined) return env;
  const { decision_catalog_version, autonomy_boundary, output_schema } = begun.manifest;
  const decisions = JSON.parse(textAt(decision_catalog_version)) as Json;
  const catalog = (decisions as readonly Json[]).map((decision) => parse(DecisionSpec, decision, 'store_corrupt'));
  const { output: _, ...rest } = env;
  const tableAt = (version: string): ToolTable =>
    recordedTable(compile, version, textAt(version), autonomy_boundary.tools.allowed);
  const begunWith: KernelEnv = {
    ...rest,
    ...(output_schema === undefined ? {} : { output: outputCheck(output_schema, compile) }),
    tools: tableAt(begun.manifest.tool_registry_version),
    catalog: new Map(catalog.map((decision) => [decision.decision_id, decision])),
  };
  const registries = new Map<string, ToolTable>();
  for (const version of migratedRegistries(events)) registries.set(version, tableAt(version));
  return registries.size === 0 ? begunWith : { ...begunWith, migrated: registries };
}

/** The most tool tables that are kept. Most runs of a store share a few. */
const TABLES_MAX = 32;

interface KeptTable {
  readonly text: string;
  readonly table: ToolTable;
}

const keptTables = new WeakMap<CompileSchema, Map<string, KeptTable>>();

/** The tools of a recorded registry. A registry is parsed once per version, because parsing costs more than a short run. */
function recordedTable(compile: CompileSchema, version: string, text: string, allowed: readonly string[]): ToolTable {
  const kept = keptTables.get(compile) ?? new Map<string, KeptTable>();
  keptTables.set(compile, kept);
  const key = JSON.stringify([version, allowed]);
  const known = kept.get(key);
  // A version is the address of its text; an altered text is parsed as it is, so that its damage shows.
  if (known?.text === text) return known.table;
  const { tools } = parse(ToolRegistry, { version, tools: JSON.parse(text) }, 'store_corrupt');
  const table = toolTable(tools, new Set(allowed), compile);
  const [oldest] = kept.keys();
  if (kept.size >= TABLES_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, { text, table });
  return table;
}

/** The versions of the tool registries that a run was migrated to, in order. */
export const migratedRegistries = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'run_migrated' && event.tools !== undefined ? [event.tools.tool_registry_version] : [],
  );

/** The event that gave a run its manifest; undefined before that. */
export function initializedIn(events: Iterable<RunEvent>): EventOf<'run_initialized'> | undefined {
  for (const event of events) if (event.type === 'run_initialized') return event;
  return undefined;
}
