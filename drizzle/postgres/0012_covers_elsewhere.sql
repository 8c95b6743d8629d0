CREATE TABLE "found_covers" (
	"song" text PRIMARY KEY NOT NULL,
	"service" text NOT NULL,
	"cover" text,
	"searched_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "privacy" ADD COLUMN "searches_covers" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "found_covers_searched" ON "found_covers" USING btree ("searched_at");