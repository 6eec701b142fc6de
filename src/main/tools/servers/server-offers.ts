import { z } from 'zod';
import { placeIn } from '@shared/tools/found-offers.ts';

/** The most entries and characters that are kept from one server. */
const mostOffers = 2_000;
const name = z.string().min(1).max(256);
const title = z.string().max(256).optional().catch(undefined);
/** Only the beginning is ever shown. */
const about = z
  .string()
  .transform((text) => text.slice(0, 300))
  .optional()
  .catch(undefined);

const resourceSchema = z.object({
  /** For a template: with one place to fill in, such as `notes://day/{day}`. */
  uri: z.string().min(1).max(2_000),
  name,
  title,
  about,
  isTemplate: z.literal(true).optional(),
});

const promptSchema = z.object({
  name,
  title,
  about,
  arguments: z
    .array(z.object({ name, about, isRequired: z.boolean().default(false) }))
    .max(20)
    .default([]),
});

/** What a server offers to the user besides tools for models. All its words are the server's. */
export const serverOffersSchema = z.object({
  resources: z.array(resourceSchema).max(mostOffers),
  prompts: z.array(promptSchema).max(mostOffers),
});
export type ServerOffers = z.infer<typeof serverOffersSchema>;

/** The usable entries of a server's three lists. Each unusable one is left out by itself. */
export function offersIn(
  resources: readonly unknown[],
  templates: readonly unknown[],
  prompts: readonly unknown[],
): ServerOffers {
  const found = [
    ...resources.map(resourceOf),
    ...templates.map((one) => {
      const resource = resourceOf(one);
      return resource === null || placeIn(resource.uri) === null ? null : { ...resource, isTemplate: true as const };
    }),
  ];
  return {
    resources: found.filter((one) => one !== null).slice(0, mostOffers),
    prompts: prompts.flatMap((one) => promptOf(one) ?? []).slice(0, mostOffers),
  };
}

const listedSchema = z.object({ description: z.unknown(), uri: z.unknown(), uriTemplate: z.unknown() }).partial();

function resourceOf(listed: unknown): ServerOffers['resources'][number] | null {
  const { description, uri, uriTemplate } = listedSchema.safeParse(listed).data ?? {};
  const given = { ...Object(listed), about: description, uri: uri ?? uriTemplate, isTemplate: undefined };
  return resourceSchema.safeParse(given).data ?? null;
}

const argumentSchema = z
  .object({ name, description: z.unknown().optional(), required: z.boolean().optional() })
  .transform((one) => ({ name: one.name, about: one.description, isRequired: one.required ?? false }));
const argumentsSchema = z.array(argumentSchema).default([]);

function promptOf(listed: unknown): ServerOffers['prompts'][number] | null {
  const { description } = listedSchema.safeParse(listed).data ?? {};
  const given = argumentsSchema.safeParse(Object(listed).arguments);
  if (!given.success) return null;
  return promptSchema.safeParse({ ...Object(listed), about: description, arguments: given.data }).data ?? null;
}
