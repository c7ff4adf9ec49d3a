import { type Layer, PASS, refusal } from './layer.ts';

/** Whether this identity may use this tool at all. */
export const permissionLayer: Layer = ({ spec, token, now }) => {
  if (token === null || now >= token.expires_at) {
    return refusal('permission', 'permission_denied', 'the identity of this run is no longer valid');
  }
  if (token.allowed_tools.includes(spec.name)) return PASS;
  return refusal('permission', 'tool_not_allowed', `${token.actor} may not use ${spec.name}`);
};
