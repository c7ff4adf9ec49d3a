import type { Inbox, InboxFilter } from '../gates/inbox.ts';
import type { BreakerReading } from '../gateway/limits/breakers.ts';
import type { Frame } from '../model/frame.ts';
import type { Handoff } from '../model/handoff.ts';
import type { Identity } from '../model/identity.ts';
import type { PolicyDifference } from '../model/policy-decision.ts';
import type { Transcript } from '../model/transcript.ts';
import type { Authorizer } from '../ports/authorizer.ts';
import type { Incident } from '../record/incidents.ts';
import type { ModelExchange } from '../record/model-exchanges.ts';
import type { Diagnosis } from '../record/pathologies/diagnose.ts';
import type { PhaseRecord } from '../record/phases.ts';
import type { KillSwitchDesk } from '../session/kill-switches.ts';
import type { Runtime } from '../session/runtime.ts';
import type { SessionDesk } from '../session/session-desk.ts';
import type { RecordDoors } from '../session/state/record-doors.ts';
import type { TenantDoor } from '../session/tenants/tenant-door.ts';
import type { VaultDesk } from '../session/vault-desk.ts';
import type { DescribedAgent } from './described-agent.ts';
import type { RunRecords } from './records/run-records.ts';
import type { Serving } from './serving.ts';

/** What an agent's runs can be asked. */
export interface AgentDoor extends Runtime, RunRecords, RecordDoors, SessionDesk {
  /** What other policies would have ruled otherwise in this run, from its journal alone. */
  shadow(runId: string, candidate: Authorizer): Promise<readonly PolicyDifference[]>;
  /** Looks for calls on record that lacked an approval. Each is an incident, and its tool is stopped for this agent. */
  audit(runId: string): Promise<readonly Incident[]>;
  /** What the run suffers from of all that is known to go wrong, by its record; `capacity` says what a queue of people can take. */
  diagnose(runId: string, queue?: Pick<InboxFilter, 'capacity'>): Promise<readonly Diagnosis[]>;
  frames(runId: string): Promise<readonly Frame[]>;
  /** The phases the run went through so far, with what each handed on. */
  phases(runId: string): Promise<readonly PhaseRecord[]>;
  /** What was sent and what came back, call by call. */
  transcripts(runId: string): Promise<readonly Transcript[]>;
  /** What models were asked and what they said, word for word, request by request. */
  exchanges(runId: string): Promise<readonly ModelExchange[]>;
  /** All that goes with the authority over a run that was handed over; null for a run that never was. */
  handoff(runId: string): Promise<Handoff | null>;
  /** What waits for people: alike things together, each with what is new about it. */
  pending(filter?: InboxFilter): Promise<Inbox>;
  /** Every agent of the runtime, as it was put together. */
  agents(): readonly DescribedAgent[];
  /** Tools that failed lately, tenant by tenant, and whether they are called at the moment. */
  breakers(): readonly BreakerReading[];
  /** Stops all calls of a tenant, an agent or a tool, reads and probes included, in every process on the same store. */
  readonly killSwitches: KillSwitchDesk;
  /** What is kept sealed, and its end. */
  readonly vault: VaultDesk;
}

/** Everything that can be asked of a runtime, whichever of its agents it concerns. */
export interface Ambit extends AgentDoor, Serving {
  /** The same for one tenant alone, as the host has established who asks: nothing of anybody else's can be reached. */
  within(identity: Identity): TenantDoor<Ambit>;
}
