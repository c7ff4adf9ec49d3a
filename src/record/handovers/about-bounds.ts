import type { RunEvent } from '../../model/events/event.ts';
import type {
  ApprovalPackets,
  BudgetLimits,
  EscalationRoutes,
  GovernanceRecord,
  ReviewRecords,
  ScopeRecord,
} from '../../model/record/handovers.ts';
import { auditRecordOf } from '../audit-record.ts';
import { eventsIn, type FinishedRun, ofType } from './finished-run.ts';

export function scopeRecord(run: FinishedRun): ScopeRecord {
  const events = eventsIn(run);
  const token = ofType(events, 'scope_resolved').at(-1)?.token ?? null;
  const { run_id, tenant_id, user_scope, autonomy_boundary_version } = run.trace;
  return {
    run_id,
    tenant_id,
    user_scope,
    boundary_version: autonomy_boundary_version,
    allowed_tools: token?.allowed_tools ?? [],
    denials: events.flatMap((event) => {
      if (event.type === 'step_refused') {
        const { step_id: subject, layer, code, message } = event;
        return [{ subject, layer, code, message }];
      }
      if (event.type === 'decision_refused') {
        const { gate_id, code, message } = event;
        return [{ subject: gate_id ?? run_id, layer: 'people', code, message }];
      }
      if (event.type !== 'scope_resolved' || event.token !== null) return [];
      return [
        { subject: run_id, layer: 'scope', code: event.reason ?? 'scope_refused', message: 'no scope was given' },
      ];
    }),
  };
}

export function budgetLimits(run: FinishedRun): BudgetLimits {
  return {
    run_id: run.trace.run_id,
    budget_vector: run.trace.budget_vector,
    extensions: ofType(eventsIn(run), 'budget_extended').map(({ by, reason, delta }) => ({ by, reason, delta })),
  };
}

export function escalationRoutes(run: FinishedRun): EscalationRoutes {
  const { trace, record } = run;
  const ended = ofType(eventsIn(run), 'run_terminated').at(-1);
  return {
    run_id: trace.run_id,
    routes: trace.escalation_events.flatMap(({ request }) => (request.kind === 'handover' ? [request.escalation] : [])),
    degraded: record.degraded ?? [],
    failed_calls: trace.tool_calls.flatMap(({ tool, request_id: call_id, result_status: outcome }) =>
      outcome === 'ok' ? [] : [{ tool, call_id, outcome }],
    ),
    terminal: { code: trace.terminal_code, reason: ended?.reason ?? 'unknown' },
  };
}

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
  return { run_id, requests: escalation_events, decisions: eventsIn(run).flatMap((event) => decidedIn(event, run_id)) };
}

function decidedIn(event: RunEvent, runId: string): readonly Decided[] {
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
