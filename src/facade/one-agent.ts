import { usualDetectors } from '../critic/step/usual-detectors.ts';
import { approversOf } from '../gates/approvers.ts';
import { readInbox } from '../gates/inbox.ts';
import { auditRecordOf } from '../record/audit-record.ts';
import { handoffOf } from '../record/handoff.ts';
import { auditTrace } from '../record/incidents.ts';
import { assertLineage, modelExchanges } from '../record/model-exchanges.ts';
import { phasesOf } from '../record/phases.ts';
import { transcriptsOf } from '../record/transcripts.ts';
import { replayRun } from '../replay/replay.ts';
import { shadowRun } from '../replay/shadow.ts';
import { plannersOf } from '../session/assembly/safer-planner.ts';
import { createBell } from '../session/bell.ts';
import { createHost, type Host, type HostOptions } from '../session/host.ts';
import { killSwitchDesk } from '../session/kill-switches.ts';
import { runReader } from '../session/read-run.ts';
import { assertRecordedContext, assertStoredParts, recordedEnv } from '../session/recorded.ts';
import { createRuntime } from '../session/runtime.ts';
import { scratchpads } from '../session/scratchpads.ts';
import { sessionDesk } from '../session/session-desk.ts';
import { recordDoors } from '../session/state/record-doors.ts';
import { assertCheckpoints } from '../session/stored-checkpoints.ts';
import type { AgentDoor } from './ambit.ts';
import { assemble } from './assemble.ts';
import { describedAgent } from './described-agent.ts';
import type { Machine } from './machine.ts';
import type { AmbitOptions } from './options.ts';
import { runRecords } from './records/run-records.ts';

/** One agent of a runtime: what drives its runs, and what can be asked about them. */
export interface OneAgent {
  readonly host: Host;
  readonly door: AgentDoor;
  readonly parts: HostOptions;
}

export function oneAgent(options: AmbitOptions, machine: Machine): OneAgent {
  const { hash, schemas, signatures } = machine;
  const parts = assemble(options, machine);
  const { critic, journal } = parts;
  const detectors = usualDetectors(parts.pins.agent.boundary, options.world?.policy?.detectors);
  const { frames, events: eventsOf } = runReader(journal);
  // Who decides is for keys and for the host's own authenticator to establish; the machine brings neither.
  const { keys = null, authenticator = null, operatorRole } = options.world?.policy?.approvers ?? {};
  const approvers = approversOf({ keys, authenticator, signatures, clock: parts.ports.clock });
  const ports = { ...parts.ports, pads: scratchpads() };
  const bell = createBell();
  const host = createHost({ ...parts, ports, bell, isRevoked: approvers.isRevoked });
  const runtime = createRuntime(host, journal, approvers, ports.clock);
  const door: AgentDoor = {
    ...runtime,
    ...sessionDesk({ ...ports, journal, bell }, { env: parts.pins.env, pins: parts.pins.agent.pins }),
    ...runRecords({ parts, detectors, schemas }),
    frames,
    phases: async (runId) => phasesOf(await eventsOf(runId)),
    transcripts: async (runId) => transcriptsOf(runId, await eventsOf(runId)),
    exchanges: async (runId) => await modelExchanges(journal, await eventsOf(runId)),
    handoff: async (runId) => handoffOf(runId, await eventsOf(runId), (await runtime.outcome(runId)).verdict),
    pending: (filter) => readInbox(journal, ports.clock.nowMs(), filter),
    agents: () => [describedAgent(parts)],
    breakers: () => ports.gateway.breakers(),
    ...recordDoors({
      ...ports,
      ...runtime,
      journal,
      approvers,
      frames,
      look: host.look,
      transcripts: transcriptsOf,
      audit: auditRecordOf,
      hash,
    }),
    killSwitches: killSwitchDesk({ journal, approvers, clock: ports.clock, ids: ports.ids, operatorRole }),
    audit: async (runId) => await auditTrace(parts, runId, await eventsOf(runId)),
    shadow: async (runId, candidate) => shadowRun({ env: parts.pins.env, critic }, await frames(runId), candidate),
    replay: async (runId) => {
      const env = await recordedEnv(journal, parts.pins.env, schemas(), await eventsOf(runId));
      const replayed = replayRun({ env, critic }, await frames(runId));
      await assertCheckpoints(journal, replayed.turns);
      await assertRecordedContext(journal, await eventsOf(runId));
      await assertStoredParts(journal, await eventsOf(runId));
      await assertLineage(journal, await eventsOf(runId), plannersOf(options.planner));
      return replayed;
    },
  };
  return { host, door, parts };
}
