import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyRequest } from '../../model/policy-request.ts';
import { part, pathOf } from './policy-parts.ts';

/** Where alone a policy can apply; null where it may anywhere. */
export interface PolicyReach {
  readonly action: string | null;
  readonly profile: string | null;
}

/**
 * Read off the head of a policy: the action it names, and a first condition of the form
 * `context has profile && context.profile == "…"`. The engine stops at a first condition that does not hold, so a policy
 * outside of its reach can neither decide anything nor fail, and leaving it out saves the time to look.
 */
export function reachOf({ action, conditions }: PolicyJson): PolicyReach {
  const [first] = conditions;
  return {
    action: action.op === '==' && 'entity' in action ? idOf(action.entity) : null,
    profile: first?.kind === 'when' ? profileIn(first.body) : null,
  };
}

export function isReached({ action, profile }: PolicyReach, request: PolicyRequest): boolean {
  const ofRequest = request.action === 'call_tool' ? request.context.profile : null;
  return (action === null || action === request.action) && (profile === null || profile === ofRequest);
}

function profileIn(condition: unknown): string | null {
  const both = part(condition, '&&');
  if (both === undefined) return null;
  const [left, equal] = [part(both, 'left'), part(part(both, 'right'), '==')];
  const value = part(part(equal, 'right'), 'Value');
  const isPin = isProfile(part(left, 'has')) && isProfile(part(part(equal, 'left'), '.'));
  return isPin && typeof value === 'string' ? value : profileIn(left);
}

const isProfile = (access: unknown): boolean =>
  pathOf(part(access, 'left')) === '' && part(access, 'attr') === 'profile';

function idOf(entity: unknown): string | null {
  const id = part(part(entity, '__entity') ?? entity, 'id');
  return typeof id === 'string' ? id : null;
}
