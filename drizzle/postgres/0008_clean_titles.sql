ALTER TABLE "connections" ADD COLUMN "cleans_titles" boolean;--> statement-breakpoint
ALTER TABLE "privacy" ADD COLUMN "cleans_titles" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "privacy" ADD COLUMN "phrases" text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "songs" ADD COLUMN "given_title" text;--> statement-breakpoint
ALTER TABLE "songs" ADD COLUMN "given_artists" text;