import { z } from 'zod';
import { exact } from './exact.ts';
import type { Json, JsonObject } from './json.ts';

/** Schemas for fields that hold any JSON. `assertJson` bounds depth and size before they run. */
export const JsonValue: z.ZodType<Json> = z.json();

export const JsonRecord: z.ZodType<JsonObject> = exact(z.record(z.string(), JsonValue));
