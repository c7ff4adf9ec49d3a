import type { BreakerReading } from '../gateway/limits/breakers.ts';
import type { DecisionSpec } from '../model/critic/decision.ts';
import type { Frame } from '../model/events/frame.ts';
import type { Handoff } from '../model/gate/handoff.ts';
import type { GraphSpec } from '../model/plan/graph.ts';
import type { PolicyDifference } from '../model/policy/policy-decision.ts';
import type { Transcript } from '../model/record/transcript.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { Identity } from '../model/run/identity.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { Authorizer } from '../ports/authorizer.ts';
import type { Incident } from '../record/incidents.ts';
import type { ModelExchange } from '../record/model-exchanges.ts';
import type { Diagnosis } from '../record/pathologies/diagnose.ts';
import type { PhaseRecord } from '../record/phases.ts';
import type { KillSwitches } from './admin/kill-switches.ts';
import type { MemoryAdmin } from './admin/memory.ts';
import type { VaultAdmin } from './admin/vault.ts';
import type { AgentExplanation } from './explain/explanation.ts';
import type { Inbox, InboxFilter } from './gates/inbox.ts';
import type { RunMetrics } from './metrics/create-metrics.ts';
import type { RunRecords } from './records/run-records.ts';
import type { GateActions, RunActions, Runtime } from './runtime.ts';
import type { Serving } from './serve.ts';
import type { RecordQueries } from './sessions/record-queries.ts';
import type { SessionQueries } from './sessions/session-queries.ts';
import type { TenantRuntime } from './tenants/tenant-runtime.ts';
import type { Threads } from './threads.ts';

/** An assembled agent: its specification, tools, decisions and graph. */
export interface DescribedAgent {
  readonly spec: AgentSpec;
  /** The agent's own tools, and those that its planner and other tools add. */
  readonly tools: readonly ToolSpec[];
  readonly decisions: readonly DecisionSpec[];
  readonly graph: GraphSpec;
}

/** The approval gates: the inbox of open ones, their packets and evidence, and the decisions. */
export interface Gates<Output = unknown> extends GateActions<Output>, Pick<RecordQueries, 'evidence'> {
  /** The inbox: open gates, grouped by name and action, each with its changes since the last approval. */
  list(filter?: InboxFilter): Promise<Inbox>;
}

/** The runs and long-running sessions: queries, commands, and the stores of their state. */
export interface Sessions<Output = unknown>
  extends RunActions<Output>,
    SessionQueries,
    Pick<RecordQueries, 'readState' | 'writeState'> {}

/** The recorded runs: traces, replay, comparison, export and audit. */
export interface Records extends RunRecords, RunMetrics, Pick<RecordQueries, 'auditRecord' | 'document'> {
  /** The decisions of this run that a candidate policy would have made differently, computed from its journal. */
  shadow(runId: string, candidate: Authorizer): Promise<readonly PolicyDifference[]>;
  /** Finds recorded calls that lacked an approval. Each is an incident, and its tool is blocked for this agent. */
  audit(runId: string): Promise<readonly Incident[]>;
  /** The known pathologies that the record of the run shows; `capacity` says how many gates people can decide. */
  diagnose(runId: string, queue?: Pick<InboxFilter, 'capacity'>): Promise<readonly Diagnosis[]>;
  frames(runId: string): Promise<readonly Frame[]>;
  /** The phases of the run so far, with the documents that each handed over. */
  phases(runId: string): Promise<readonly PhaseRecord[]>;
  /** The request and the response of every tool call. */
  transcripts(runId: string): Promise<readonly Transcript[]>;
  /** The prompt and the answer of every model request, verbatim. */
  exchanges(runId: string): Promise<readonly ModelExchange[]>;
  /** The documents that accompany a run that was handed over to a person; null for any other run. */
  handoff(runId: string): Promise<Handoff | null>;
}

export interface Agents {
  /** Every agent, as it was assembled. */
  list(): readonly DescribedAgent[];
  /** An agent in plain words, with every default, its reason and its option. The name is needed if there are several. */
  explain(agent?: string): AgentExplanation;
  dryRun: Runtime['agents']['dryRun'];
  /** The circuit breakers of tools that failed recently, by tenant. */
  breakers(): readonly BreakerReading[];
}

export interface AgentRuntime<Output = unknown>
  extends Pick<Runtime<Output>, 'start' | 'invoke' | 'approve' | 'resume' | 'verify' | 'close' | 'grants'> {
  readonly agents: Agents;
  readonly gates: Gates<Output>;
  readonly sessions: Sessions<Output>;
  readonly records: Records;
  /** The conversations: list them, read one with the trust of each message, export its runs. */
  readonly threads: Threads;
  /** Blocks all calls of a tenant, an agent or a tool, reads and probes included, in every process on the same store. */
  readonly killSwitches: KillSwitches;
  /** Sealed values: erasure, and reading one at an open gate. */
  readonly vault: VaultAdmin;
  /** Memory across runs: list, quarantine, rebuild from the trace. */
  readonly memory: MemoryAdmin;
}

/**
 * The runtime that `ambit()` returns. A call that names a run or a gate goes to the agent that owns it. `Output` is the
 * type of `outcome.output`, known if the runtime has one agent made with `agent()`.
 */
export interface Ambit<Output = unknown> extends AgentRuntime<Output>, Pick<Serving, 'serve'> {
  readonly sessions: Sessions<Output> & Pick<Serving, 'wake' | 'resumeAll' | 'damaged'>;
  /** The runtime of one tenant, for an identity that the host has authenticated. It reaches no other tenant's data. */
  within(identity: Identity): TenantRuntime<Ambit<Output>>;
}
