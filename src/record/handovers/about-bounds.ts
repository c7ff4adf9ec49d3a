import type { BudgetLimits, EscalationRoutes, ScopeRecord } from '../../model/handovers/bound-handovers.ts';
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
