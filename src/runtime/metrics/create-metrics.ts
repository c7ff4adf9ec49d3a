import { z } from 'zod';
import { type MetricsReport, reportMetrics } from '../../metrics/report.ts';
import { FACTS_VERSION, type RunFacts } from '../../metrics/run-facts.ts';
import { type GroupKey, MetricGroup, MetricTarget } from '../../metrics/targets.ts';
import type { Frame } from '../../model/events/frame.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { exactObject } from '../../model/json/exact.ts';
import { Instant, Name } from '../../model/json/name.ts';
import { parseNamed } from '../../model/json/parse.ts';
import { RiskClass } from '../../model/policy/risk.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { SessionRow } from '../../ports/journal/rows.ts';
import type { FactsStore } from '../../ports/store/facts-store.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { importNote } from '../../session/import-note.ts';
import { framesOf } from '../../session/load.ts';
import { copyInput, readUntrusted, requireId } from '../../session/read-input.ts';
import { EVERY } from '../sessions/list-sessions.ts';
import { factsOfRun } from './facts-of-run.ts';
import { countedLabels, createLabels, type LabelActions, type LabelDeps } from './run-labels.ts';

/** The runs of a report, and its form. */
export interface MetricsQuery {
  /** Runs that ended at or after this time, in milliseconds. */
  readonly since?: number;
  /** Runs that ended before this time, in milliseconds. */
  readonly until?: number;
  readonly agent?: string;
  readonly tenant?: string;
  readonly risk?: RiskClass;
  readonly intent?: string;
  /** Reports each of these groups by itself. */
  readonly by?: MetricGroup;
  /** Targets of this report. They replace those of the registry for the runs that they name. */
  readonly targets?: readonly MetricTarget[];
  /** Number of periods of each series, from 1 to 100; 1 by default. */
  readonly periods?: number;
}
const MetricsQuery: z.ZodType<MetricsQuery> = exactObject({
  since: Instant.exactOptional(),
  until: Instant.exactOptional(),
  agent: Name.exactOptional(),
  tenant: Name.exactOptional(),
  risk: RiskClass.exactOptional(),
  intent: Name.exactOptional(),
  by: MetricGroup.exactOptional(),
  targets: z.array(MetricTarget).max(1_000).exactOptional(),
  periods: z.int().min(1).max(100).exactOptional(),
});

/** A run that could not be read, so that a report lacks it. */
export interface UnreadRun {
  readonly run_id: string;
  readonly code: FaultCode;
  readonly message: string;
}

/** The metrics of the recorded runs of a store. */
export interface StoreMetrics extends MetricsReport {
  /** Runs that could not be read or derived, each with the reason. The numbers do not include them. */
  readonly unread: readonly UnreadRun[];
  /** Labels without a valid signature, where the tenant has keys. The numbers do not include them. */
  readonly unproven_labels: number;
}

export interface MetricsProgress {
  /** Called while runs are read: runs whose facts are known, of all. */
  readonly onProgress?: (done: number, of: number) => void;
}

/** The metrics of recorded runs. They are derived from journals alone. */
export interface RunMetrics extends LabelActions {
  /** The metrics of ended runs, with their targets. A run that an earlier report read is not read again. */
  metrics(query?: MetricsQuery, progress?: MetricsProgress): Promise<StoreMetrics>;
  /** The numbers that one ended run contributes; null for a run that has not ended. */
  facts(runId: string): Promise<RunFacts | null>;
}

export interface RunMetricsDeps extends LabelDeps {
  readonly factsStore: () => FactsStore;
  readonly rulesOf: (frames: readonly Frame[]) => Promise<ReplayEnv>;
}

export function createMetrics(deps: RunMetricsDeps): RunMetrics {
  return {
    ...createLabels(deps),
    metrics: async (query = {}, { onProgress } = {}) => {
      const asked = parseNamed(
        'query',
        MetricsQuery,
        readUntrusted(() => copyInput(query)),
        'input_invalid',
      );
      const rows = await endedRows(deps.journal, asked);
      const store = deps.factsStore();
      const { facts, unread } = await factsOfRows({ ...deps, store }, rows, onProgress).finally(() => store.close());
      const { byRun, unproven } = await countedLabels(deps, asked.tenant);
      const { by, targets, periods, agent, tenant, risk, intent } = asked;
      const measured = withLanes(facts, (task) => fits(task, asked)).map((each) => ({
        facts: each,
        label: byRun.get(each.run_id) ?? null,
      }));

      const fixed = Object.fromEntries(
        Object.entries({ agent, tenant, risk, intent }).filter(([, value]) => value !== undefined),
      ) as GroupKey;
      const options = {
        fixed,
        ...(by === undefined ? {} : { by }),
        ...(targets === undefined ? {} : { targets }),
        ...(periods === undefined ? {} : { periods }),
      };
      return { ...reportMetrics(measured, options), unread, unproven_labels: unproven };
    },
    facts: async (runId) => {
      const [row] = await deps.journal.list({ session: requireId(runId), limit: 1 });
      if (row === undefined) throw new Fault('session_not_found', `there is no session ${runId}`);
      return await derive(deps, row);
    },
  };
}

/** The rows of ended runs. Lanes end before their task, so they are listed for every period of a report. */
async function endedRows({ list }: Journal, { tenant }: MetricsQuery): Promise<readonly SessionRow[]> {
  const rows = await list({ ...(tenant === undefined ? {} : { tenant }), order: 'oldest', limit: EVERY });
  return rows.filter(({ terminal_code }) => terminal_code !== null);
}

const fits = (facts: RunFacts, { since, until, agent, risk, intent }: MetricsQuery): boolean =>
  facts.origin === 'run' &&
  (since === undefined || facts.ended_at >= since) &&
  (until === undefined || facts.ended_at < until) &&
  (agent === undefined || facts.agent === agent) &&
  (risk === undefined || facts.risk === risk) &&
  (intent === undefined || facts.intent === intent);

/** The tasks that fit, each followed by the runs of its lanes. */
function withLanes(all: readonly RunFacts[], isWanted: (task: RunFacts) => boolean): readonly RunFacts[] {
  const lanesOf = Map.groupBy(all, ({ parent }) => parent);
  const family = (run: RunFacts): readonly RunFacts[] => [run, ...(lanesOf.get(run.run_id) ?? []).flatMap(family)];
  return (lanesOf.get(null) ?? []).filter(isWanted).flatMap(family);
}

interface FoundFacts {
  readonly facts: readonly RunFacts[];
  readonly unread: readonly UnreadRun[];
}

/** Number of runs that are derived between two writes of the facts store. */
const BATCH = 200;

/** Takes the kept facts of runs that have not changed since, and derives the others. */
async function factsOfRows(
  deps: Pick<RunMetricsDeps, 'journal' | 'rulesOf'> & { readonly store: FactsStore },
  rows: readonly SessionRow[],
  onProgress: MetricsProgress['onProgress'],
): Promise<FoundFacts> {
  const { store } = deps;
  const heads = new Map(rows.map(({ session_id, head_hash }) => [session_id, head_hash]));
  const kept = (await store.read([...heads.keys()])).filter(
    ({ run_id, head_hash, version }) => version === FACTS_VERSION && heads.get(run_id) === head_hash,
  );
  const facts = kept.map(({ text }) => JSON.parse(text) as RunFacts);
  const known = new Set(kept.map(({ run_id }) => run_id));
  const missing = rows.filter(({ session_id }) => !known.has(session_id));
  const unread: UnreadRun[] = [];
  for (let from = 0; from < missing.length; from += BATCH) {
    onProgress?.(known.size + from, rows.length);
    const derived: RunFacts[] = [];
    for (const row of missing.slice(from, from + BATCH)) {
      const found = await derive(deps, row).catch((error: unknown) => {
        if (!Fault.is(error)) throw error;
        unread.push({ run_id: row.session_id, code: error.code, message: error.message });
        return null;
      });
      if (found !== null) derived.push(found);
    }
    facts.push(...derived);
    await store.write(
      derived.map((each) => ({
        run_id: each.run_id,
        head_hash: heads.get(each.run_id) ?? '',
        version: FACTS_VERSION,
        text: JSON.stringify(each),
      })),
    );
  }
  if (missing.length > 0) onProgress?.(rows.length, rows.length);
  return { facts, unread };
}

async function derive(
  { journal, rulesOf }: Pick<RunMetricsDeps, 'journal' | 'rulesOf'>,
  row: SessionRow,
): Promise<RunFacts | null> {
  const frames = await framesOf(journal, row.session_id);
  const imported = (await importNote(journal, row.session_id)) !== null;
  return factsOfRun(row, imported, await rulesOf(frames), frames);
}
