CREATE TABLE `connection_health` (
	`connection_id` integer PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`because` text,
	`since` integer NOT NULL,
	`until` integer,
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `one_time_links` (
	`hash` blob PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `one_time_links_user` ON `one_time_links` (`user_id`);--> statement-breakpoint
CREATE TABLE `upstreams` (
	`source` text PRIMARY KEY NOT NULL,
	`sealed_app` blob,
	`paused_from` integer,
	`paused_until` integer
);
