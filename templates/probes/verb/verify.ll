{{> verify_phases}}
