/** Requests as the kernel makes them; a test overrides only what it is about. */
import type { CallRequest, GateRequest } from '../../src/model/policy/policy-request.ts';

interface Changes {
  readonly principal?: Partial<CallRequest['principal']>;
  readonly resource?: Partial<CallRequest['resource']>;
  readonly context?: Partial<CallRequest['context']>;
}

export function callRequest({ principal, resource, context }: Changes = {}): CallRequest {
  return {
    action: 'call_tool',
    principal: { agent: 'helper', user: 'ann', roles: ['member'], tenant: 'tenant_a', ...principal },
    resource: {
      name: 'look',
      version: '1',
      mode: 'read_only',
      category: 'live_api',
      external: false,
      side_effect: false,
      trusted: true,
      action: null,
      blast_radius: null,
      rollback: null,
      ...resource,
    },
    context: {
      profile: null,
      environment: 'sandbox',
      risk: 'low',
      arguments: {},
      pending: [],
      untrusted: [],
      expected: [],
      planned_after_untrusted: false,
      evidence: {},
      remaining: { tool_calls: 5 },
      approvals: [],
      ...context,
    },
  };
}

export function gateRequest(user: string, requester: string): GateRequest {
  return {
    action: 'decide_gate',
    principal: { agent: 'helper', user, roles: ['lead'], tenant: 'tenant_a' },
    resource: { name: 'GATE_A', kind: 'action', requester },
    context: { environment: 'sandbox', risk: 'low' },
  };
}
