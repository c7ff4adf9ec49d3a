import { isJsonList, isJsonObject, type Json } from '../../../model/json/json.ts';

const HANDLE = /sealed:v1:[0-9a-f]{64}/g;

/**
 * Replaces the handles of sealed values. A handle does not reveal its value, but equal values of a tenant have equal
 * handles, so a browser could compare them.
 */
export function hideSealed(value: Json): Json {
  if (typeof value === 'string') return value.replace(HANDLE, '[sealed]');
  if (isJsonList(value)) return value.map(hideSealed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [hideSealed(key), hideSealed(child)]));
}
