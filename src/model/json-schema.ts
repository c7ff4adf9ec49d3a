import { z } from 'zod';
import type { Json, JsonObject } from './json.ts';

/** Schemas for fields that hold any JSON. Depth and size were bounded by `assertJson` before they run. */
export const JsonValue: z.ZodType<Json> = z.json();
export const JsonRecord: z.ZodType<JsonObject> = z.record(z.string(), JsonValue);
