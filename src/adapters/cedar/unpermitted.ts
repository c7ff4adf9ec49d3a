import type { PolicyRequest } from '../../model/policy-request.ts';
import { part } from './policy-parts.ts';
import type { ReadPolicy } from './read-policies.ts';

/** What a call lacks that no policy permits, in words its author can act on; nothing where the policies do not know. */
export function unpermitted(request: PolicyRequest, actions: readonly string[]): readonly string[] {
  if (request.action !== 'call_tool' || actions.length === 0) return [];
  const { name, action } = request.resource;
  const allowed = `the policies know ${actions.join(', ')}`;
  if (action === null) return [`${name} does not say in rules.action what it does: ${allowed}`];
  return actions.includes(action) ? [] : [`${action}, which is rules.action of ${name}, is in no permit: ${allowed}`];
}

/** The actions that permits name: `[…].contains(resource.action)` and `resource.action == "…"`. */
export function permittedActions(policies: readonly ReadPolicy[]): readonly string[] {
  const permits = policies.filter(({ effect }) => effect === 'permit');
  return [...new Set(permits.flatMap(({ json }) => actionsIn(json.conditions)))].sort();
}

function actionsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([operator, operands]) => {
    if (operator === 'contains' && isAction(part(operands, 'right'))) return texts(part(operands, 'left'));
    if (operator === '==' && isAction(part(operands, 'left'))) return texts(part(operands, 'right'));
    return actionsIn(operands);
  });
}

function isAction(node: unknown): boolean {
  const access = part(node, '.');
  return part(access, 'attr') === 'action' && part(part(access, 'left'), 'Var') === 'resource';
}

function texts(node: unknown): readonly string[] {
  const set = part(node, 'Set');
  return (Array.isArray(set) ? set : [node])
    .map((item: unknown) => part(item, 'Value'))
    .filter((value) => typeof value === 'string');
}
