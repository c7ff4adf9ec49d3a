import type { RunEvent } from '../../model/event.ts';
import type { ApprovalPackets, GovernanceRecord, ReviewRecords } from '../../model/handovers/people-handovers.ts';
import { auditRecordOf } from '../audit-record.ts';
import { eventsIn, type FinishedRun, ofType } from './finished-run.ts';

export function approvalPackets(run: FinishedRun): ApprovalPackets {
  const opened = ofType(eventsIn(run), 'gate_opened');
  return {
    run_id: run.trace.run_id,
    packets: opened.flatMap(({ gate_id, name, packet_hash }) => {
      const packet = Object.hasOwn(run.packets, packet_hash) ? run.packets[packet_hash] : undefined;
      return packet === undefined ? [] : [{ gate_id, name, packet_hash, packet }];
    }),
  };
}

type Decided = ReviewRecords['decisions'][number];

export function reviewRecords(run: FinishedRun): ReviewRecords {
  const { run_id, escalation_events } = run.trace;
  return { run_id, requests: escalation_events, decisions: eventsIn(run).flatMap((event) => saidIn(event, run_id)) };
}

function saidIn(event: RunEvent, runId: string): readonly Decided[] {
  switch (event.type) {
    case 'gate_decided': {
      const { approver: by, decision, gate_id: about, reason, at, proof } = event;
      return [{ by, decision, about, reason, at, credential: proof?.credential ?? null }];
    }
    case 'escalation_decided': {
      const { by, decision, reason, at, proof } = event;
      return [{ by, decision, about: runId, reason, at, credential: proof?.credential ?? null }];
    }
    case 'budget_extended':
    case 'run_cancelled': {
      const { type, by, reason, at, proof } = event;
      return [{ by, decision: type, about: runId, reason, at, credential: proof?.credential ?? null }];
    }
    default:
      return [];
  }
}

export function governanceRecord(run: FinishedRun): GovernanceRecord {
  const { trace, record, frames, hash } = run;
  const manifest = ofType(eventsIn(run), 'run_initialized').at(-1)?.manifest;
  return {
    run_id: trace.run_id,
    owner: trace.user_scope.actor,
    boundary_version: trace.autonomy_boundary_version,
    policy_version: manifest?.policy_version ?? 'none',
    decision: record,
    entries: auditRecordOf(frames, hash),
  };
}
